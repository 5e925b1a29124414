import { expect } from 'chai';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { knexPetRepository, migrate } from '../../../adapters/knex';
import { arbitraryNewPet } from '../../contracts';
import { success } from '../../contracts/outcome';
import { allPets } from '../../contracts/pet-repository/pages-of';
import { databaseKinds, postgresDatabase, withEmptyDatabase } from '../../support/databases/databases';
import { eventually } from '../../support/eventually';
import { main, startProgram, withoutDatabaseLine } from '../../support/processes/command';
import { inFolder } from '../../support/temporary-folder';
import { runInProcess } from '../../support/processes/run-in-process';
import { apiKey, whileServing } from '../../support/service/serve-in-process';

const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };

const rex = '{"name":"Rex","categoryId":9007199254740993,"status":"sold"}';

const create = async (address: string, key: string): Promise<readonly [status: number, text: string]> => {
  const options = { method: 'POST', headers: { ...headers, 'Idempotency-Key': key }, body: rex };
  const response = await fetch(`${address}/v1/pets`, options);
  return [response.status, (await response.text()).trimEnd()];
};

const list = async (address: string): Promise<string> =>
  (await (await fetch(`${address}/v1/pets`, { headers })).text()).trimEnd();

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`The command pets on ${kind}`, () => {
    it('lists animals by filters and a part of the name, quotes odd names, and says how many it has read', () =>
      withEmptyDatabase(makeDatabase, async (database, _open, databaseUrl) => {
        await success(migrate(database));
        const repository = knexPetRepository(database);
        for (const [name, categoryId] of [
          ['Rex', 7n],
          ['Mia', 7n],
          ['T-Rex', 7n],
          ['Rexona ', 8n],
        ] as const)
          await success(repository.create({ name, categoryId, status: 'sold' }));
        const list = async (...options: ReadonlyArray<string>) =>
          withoutDatabaseLine(
            await runInProcess(['pets', 'list', ...options], { DATABASE_URL: databaseUrl }),
          );
        const { stdout, stderr } = await list('--name=Re', '--status=sold', '--category-id=7', '--limit=2');
        expect(stdout).to.equal('ID\tNAME\tCATEGORY\tSTATUS\n1\tRex\t7\tsold\n3\tT-Rex\t7\tsold\n');
        expect(stderr).to.equal('2 animals of 3 read\n');
        expect(await list('--category-id=8')).to.include({
          stdout: 'ID\tNAME\tCATEGORY\tSTATUS\n4\t"Rexona "\t8\tsold\n',
          stderr: '1 animal\n',
        });
        expect((await list('--limit=1', '--order=desc', '--json')).stderr).to.include('add --after 4');
        expect((await list('--after=4')).stdout).to.equal('');
        expect((await list('--limit=101')).code).to.equal(2);
      }));

    it('corrects and deletes animals while two instances serve them', async () => {
      const { databaseUrl: DATABASE_URL, remove } = await makeDatabase();
      const pets = async (...command: ReadonlyArray<string>) => {
        const outcome = withoutDatabaseLine(await runInProcess(['pets', ...command], { DATABASE_URL }));
        const stderr = command[0] === 'delete' ? 'animal 1 deleted\n' : '';
        expect(outcome, outcome.stderr).to.include({ code: 0, stderr });
        return outcome.stdout;
      };
      try {
        await whileServing({ DATABASE_URL }, ({ address }) =>
          whileServing({ DATABASE_URL }, async ({ address: other }) => {
            const [, created] = await create(address, 'k1');
            expect(await list(other)).to.equal(`[${created}]`);
            expect(await pets('get', '1', '--json')).to.equal(`${created}\n`);

            const corrected = '{"id":1,"name":"R\u00e9x\\u202e","categoryId":-7}';
            const options = ['--name', 'R\u00e9x\u202e', '--category-id', '-7', '--no-status'];
            expect(await pets('update', '1', ...options, '--json')).to.equal(`${corrected}\n`);
            expect(await pets('get', '1')).to.equal('id: 1\nname: "R\u00e9x\\u202e"\ncategoryId: -7\n');
            const stored = corrected.replace('\\u202e', '\u202e');
            for (const each of [address, other]) {
              expect(await list(each)).to.equal(`[${stored}]`);
              expect(await create(each, 'k1')).to.deep.equal([201, stored]);
            }

            expect(await pets('update', '1', '--status', 'sold')).to.match(/\nstatus: "sold"\n$/);
            await pets('update', '1', '--no-status');
            expect(await pets('delete', '1', '--json')).to.equal(`${corrected}\n`);
            for (const each of [address, other]) {
              expect(await list(each)).to.equal('[]');
              const [status, text] = await create(each, 'k1');
              expect(status).to.equal(422);
              expect(JSON.parse(text)).to.include({ code: 'pet_deleted', status: 422 });
            }
          }),
        );
      } finally {
        await remove();
      }
    });

    it('says that no animal has an id, and rejects wrong arguments', async () => {
      const { databaseUrl: DATABASE_URL, remove } = await makeDatabase();
      const run = async (...command: ReadonlyArray<string>) => {
        const { code, stdout, stderr } = await runInProcess(command, { DATABASE_URL });
        expect(stdout).to.equal(command[0] === 'migrate' ? stdout : '');
        return { code, stderr };
      };
      try {
        await run('migrate');
        for (const command of ['get', 'delete', 'update']) {
          const changes = command === 'update' ? ['--name', 'Rex'] : [];
          const { code, stderr } = await run('pets', command, '7', ...changes);
          expect(code, stderr).to.equal(1);
          expect(stderr).to.match(/\nerror: no animal has the id 7\n$/);
        }
        for (const [command, reason] of [
          [['get', '7.0'], /error: <id> must be the id of an animal/],
          [['get', '9223372036854775808'], /error: <id> must be the id of an animal/],
          [['update', '7'], /add an option that says what to change/],
          [['update', '7', '--status', 'Sold'], /error: --status must be one of available, pending, sold/],
          [
            ['update', '7', '--name', 'x'.repeat(1_001)],
            /error: --name must be a string of at most 1000 characters/,
          ],
        ] as const) {
          const { code, stderr } = await run('pets', ...command);
          expect(code, stderr).to.equal(2);
          expect(stderr).to.match(reason);
        }
      } finally {
        await remove();
      }
    });
  });
}

describe('The command pets delete --ids', () => {
  it('undoes an import into PostgreSQL during which clients created animals', () =>
    inFolder((folder) =>
      withEmptyDatabase(postgresDatabase, async (database, _open, DATABASE_URL) => {
        await success(migrate(database));
        const pets = knexPetRepository(database);
        const file = join(folder, 'import.ids');
        const command = ['import', '-', '--format', 'ndjson', '--ids', file];
        const options = { environment: { DATABASE_URL }, isFed: true };
        const running = startProgram(process.execPath, [main, ...command], options);
        running.stdin.write(`${rex}\n`.repeat(6_001));
        await eventually('the first animals are inserted', 25_000, async () => {
          const lastId = await database.statements.readLastId(database.readPool);
          return lastId >= 1_000n;
        });
        const { pet } = await success(pets.create(arbitraryNewPet()));
        running.stdin.end(`${rex}\n`.repeat(400));
        expect((await running.ended).stderr).to.match(
          /6,401 animals stored with new ids from 1 to 6402, of which 1 belong to other animals or to none\n$/,
        );
        const ids = (await allPets(pets)).map(({ id }) => id).filter((id) => id !== pet.id);
        expect(readFileSync(file, 'utf8')).to.equal(ids.map((id) => `${id}\n`).join(''));
        expect(statSync(file).mode & 0o777).to.equal(0o600);

        const again = await runInProcess([...command.with(1, file)], { DATABASE_URL });
        expect(again.stderr).to.include('import.ids exists; name another file; nothing was stored');
        for (const result of ['6,401 animals deleted', '0 animals deleted; 6,401 ids had no animal']) {
          const { code, stderr } = await runInProcess(['pets', 'delete', '--ids', file], { DATABASE_URL });
          expect(stderr.split('\n').slice(-2)).to.deep.equal([result, '']);
          expect(code).to.equal(0);
          expect(await allPets(pets)).to.deep.equal([pet]);
        }
        writeFileSync(file, `${pet.id}\nRex\n`);
        const { code, stderr } = await runInProcess(['pets', 'delete', '--ids', file], { DATABASE_URL });
        expect(stderr).to.match(/: line 2: Rex is not the id of an animal; nothing was deleted\n$/);
        expect(code).to.equal(1);
        expect(await allPets(pets)).to.deep.equal([pet]);
      }),
    ));
});
