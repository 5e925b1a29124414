import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { apiKeyStore, knexPetRepository, migrate } from '../../../adapters/knex';
import { decodeOrThrow, KeyId, updatePet } from '../../../core';
import { success } from '../../contracts/outcome';
import { databaseKinds, sqliteFile, withEmptyDatabase } from '../../support/databases/databases';
import { maintainedRepository } from '../../support/databases/maintained-repository';
import { withoutDatabaseLine } from '../../support/processes/command';
import { runInProcess } from '../../support/processes/run-in-process';
import { whileServing } from '../../support/service/serve-in-process';
import { inFolder } from '../../support/temporary-folder';

const rex = { name: 'Rex', categoryId: 9_007_199_254_740_993n };
const keyOf = (id: string) => decodeOrThrow(KeyId, id);

const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z {2}`;

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`The command log on ${kind}`, () => {
    /** Runs commands as an operator on a migrated database. */
    const asOperator = (
      test: (
        run: (...words: ReadonlyArray<string>) => Promise<string>,
        database: Parameters<Parameters<typeof withEmptyDatabase>[1]>[0],
        databaseUrl: string,
      ) => Promise<void>,
    ) =>
      withEmptyDatabase(makeDatabase, async (database, _open, databaseUrl) => {
        await success(migrate(database));
        const run = async (...words: ReadonlyArray<string>) => {
          const ended = await runInProcess(words, { DATABASE_URL: databaseUrl, SUDO_USER: 'ada' });
          expect(ended.code, ended.stderr).to.equal(0);
          return withoutDatabaseLine(ended).stdout;
        };
        await test(run, database, databaseUrl);
      });

    it('names the key and the time of an animal, who corrected it, what it was, and who deleted it', () =>
      asOperator(async (run, _database, DATABASE_URL) => {
        const key = (await run('keys', 'create', '--name', 'leaky')).trim();
        const [, keyId = ''] = /^animals_([0-9a-f]+)_/.exec(key) ?? [];
        await whileServing({ DATABASE_URL, API_KEYS: '' }, async ({ address }) => {
          for (const name of ['Rex', 'Mia']) {
            const { status } = await fetch(`${address}/v1/pets`, {
              method: 'POST',
              headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
              body: `{"name":"${name}","categoryId":9007199254740993}`,
            });
            expect(status).to.equal(201);
          }
        });
        await run('pets', 'update', '1', '--name', 'Max', '--status', 'sold');
        await run('pets', 'delete', '1');
        await run('keys', 'revoke', keyId);
        await run('keys', 'revoke', keyId);

        expect(await run('log', '--pet', '1')).to.match(
          new RegExp(
            [
              `^${time}animal 1 created by key ${keyId}\n`,
              `${time}pets update by ada; before: name "Rex", categoryId "9007199254740993"\n`,
              `${time}pets delete by ada; before: name "Max", categoryId "9007199254740993", status "sold"\n$`,
            ].join(''),
          ),
        );
        expect(await run('log', '--key', keyId)).to.match(
          new RegExp(
            [
              `^${time}keys create by ada\n`,
              `${time}keys revoke by ada\n`,
              `${time}animal 2 created by key ${keyId}\n`,
              `${time}animal 1 created by key ${keyId}, and deleted since\n$`,
            ].join(''),
          ),
        );
      }));

    it('names the successor of a rotated key, and the predecessor of a key', () =>
      asOperator(async (run) => {
        const idOf = (key: string): string => /^animals_([0-9a-f]+)_/.exec(key)?.[1] ?? '';
        const first = idOf(await run('keys', 'create', '--name', 'shop'));
        const second = idOf(await run('keys', 'rotate', first));
        const third = idOf(await run('keys', 'rotate', second));
        await run('keys', 'create', '--name', 'other');

        const [created, rotated] = [`${time}keys create by ada\n`, `${time}keys rotate by ada\n`];
        const replaced = (older: string, newer: string): string =>
          `${time}keys create by ada; key ${newer} replaces key ${older}\n`;
        expect(await run('log', '--key', first)).to.match(
          new RegExp(`^${created}${rotated}${replaced(first, second)}$`),
        );
        expect(await run('log', '--key', second)).to.match(
          new RegExp(`^${replaced(first, second)}${rotated}${replaced(second, third)}$`),
        );
        const [line = ''] = (await run('log', '--key', third, '--json')).split('\n');
        expect(JSON.parse(line)).to.deep.include({
          action: 'keys create',
          keyId: third,
          replacedKeyId: second,
        });
      }));

    it('names who has imported an animal, and keeps no record of an import that failed', () =>
      asOperator((run, database, databaseUrl) =>
        inFolder(async (folder) => {
          const file = join(folder, 'animals.csv');
          writeFileSync(file, 'name,categoryId\nMia,1\n');
          await run('import', file);
          writeFileSync(file, 'name,categoryId\nTom,1\nBen,x\n');
          const { code } = await runInProcess(['import', file], { DATABASE_URL: databaseUrl });
          expect(code).to.equal(1);
          expect(await run('log', '--pet', '1')).to.match(
            new RegExp(`^${time}animal 1 created by import by ada\n$`),
          );
          expect(await database.readPool('pets')).to.have.lengthOf(1);
        }),
      ));

    it('takes the time from the clock of the database', () =>
      asOperator(async (run, database) => {
        const now = Date.now();
        mock.method(Date, 'now', () => now + 90_000_000);
        try {
          await success(knexPetRepository(database).create(rex, { createdBy: keyOf('a') }));
        } finally {
          mock.reset();
        }
        const [at = ''] = (await run('log', '--pet', '1')).split('  ');
        expect(Math.abs(Date.parse(at) - now)).to.be.below(60_000);
      }));

    it('records a change only if it is stored', () =>
      asOperator(async (_run, database) => {
        const pets = maintainedRepository(database, 'ada');
        await success(pets.create(rex));
        await database.writePool.schema.renameTable('animal_store_changes', 'away');
        expect(await updatePet(pets, 1n, { name: 'Max' })()).to.have.property('_tag', 'Left');
        expect(await pets.deleteByIds([1n])()).to.have.property('_tag', 'Left');
        expect(await apiKeyStore(database).create('new')()).to.have.property('_tag', 'Left');
        await database.writePool.schema.renameTable('away', 'animal_store_changes');
        expect((await success(pets.find(1n))).name).to.equal('Rex');
        expect(await success(apiKeyStore(database).list)).to.deep.equal([]);
        expect(await database.readPool('animal_store_changes')).to.deep.equal([]);
      }));

    it('finds the animals of a key among many, and says so if an animal has no record', () =>
      asOperator(async (run, database) => {
        const pets = knexPetRepository(database);
        await success(pets.create(rex));
        await success(pets.create(rex, { createdBy: keyOf('env-a') }));
        await database.writePool('pets').where({ id: 1 }).update({ created_at: null, created_by: null });
        expect(await run('log', '--pet', '1')).to.include('animal 1 was created by an earlier version');
        await database.writePool('pets').where({ id: 1 }).update({ created_at: '9000000000000000' });
        expect(await run('log', '--pet', '1')).to.include('an invalid time  animal 1 created by a program');
        const lines = (await run('log', '--key', 'env-a', '--json')).trim().split('\n');
        expect(lines.map((line): unknown => JSON.parse(line)))
          .to.have.lengthOf(1)
          .and.have.nested.property('[0].petId', '2');
      }));

    it('is kept by copy', () =>
      asOperator(async (run, database, databaseUrl) =>
        inFolder(async (folder) => {
          await run('keys', 'create', '--name', 'first');
          await success(knexPetRepository(database).create(rex, { createdBy: keyOf('a') }));
          await run('pets', 'update', '1', '--status', 'sold');
          const before = await run('log', '--pet', '1');
          await database.close();
          const target = `sqlite:${folder}/copy`;
          await run('copy', target);
          const copied = await runInProcess(['log', '--pet', '1'], { DATABASE_URL: target });
          expect(copied.stdout).to.equal(before);
          expect(databaseUrl).not.to.equal(target);
        }),
      ));
  });
}

describe('The records of who created animals', () => {
  it('stay empty for a create of an earlier version, which works on the new tables', async () => {
    const { open, remove } = await sqliteFile();
    const database = open();
    try {
      await success(migrate(database));
      await database.writePool('pets').insert({ name: 'Rex', category_id: 7 });
      expect(await database.readPool('pets').first('created_by')).to.deep.equal({ created_by: null });
    } finally {
      await database.close();
      await remove();
    }
  });
});
