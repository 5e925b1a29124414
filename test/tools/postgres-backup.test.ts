import { expect } from 'chai';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, knexPetRepository, openPostgres } from '../../adapters/knex';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../contracts';
import { expectRestored, underLoad } from '../support/service/backup-under-load';
import { startProgram } from '../support/processes/command';
import { installedPrograms, withInstalledPostgres } from '../support/postgres/installed-postgres';
import { execute } from '../support/postgres/postgres';
import { run } from '../support/run';
import { runInProcess } from '../support/service/run-in-process';
import { killServices } from '../support/service/service-process';

const withDatabaseAt = async <A>(url: string, use: (database: Database) => Promise<A>): Promise<A> => {
  const database = openPostgres(url, { poolSize: 2, statementTimeout: 3_000 });
  try {
    return await use(database);
  } finally {
    await database.close();
  }
};

/** What a store says to type in a shell, with a file of the test's own. */
const wordsFor = async (command: 'backup' | 'restore', url: string, file: string): Promise<string> => {
  const { stderr } = await runInProcess([command, file], { DATABASE_URL: url });
  const [words] =
    (command === 'backup' ? /pg_dump .*(?= makes)/ : /pg_restore .*(?= takes)/).exec(stderr) ?? [];
  if (words === undefined) throw new Error(`nothing to type in ${stderr}`);
  return words.replace('FILE', file);
};

describe("PostgreSQL's own pg_dump and pg_restore, as the store says to type them", () => {
  const programs = installedPrograms();

  it('bring back API keys, animals and idempotency keys, also over what is there', async function () {
    // Debian's package postgresql has them, with a server of their version: the tests' own may be newer than they know.
    if (programs === undefined) this.skip();
    await withInstalledPostgres(programs, async ({ url: server, program }) => {
      const url = server.replace(/postgres$/, 'animals');
      const dump = join(tmpdir(), `animal-store-${process.pid}.dump`);
      const type = async (words: string): Promise<void> => {
        const [name = ''] = words.split(' ');
        const text = words.replace(name, program(name));
        expect(await startProgram('sh', ['-c', text]).ended, words).to.include({ code: 0, stderr: '' });
      };
      await execute(server, 'create database animals');
      await runInProcess(['keys', 'create', '--name', 'kept'], { DATABASE_URL: url });
      const [newPet, key] = [arbitraryNewPet(), arbitraryScopedIdempotencyKey()];
      const { pet } = await withDatabaseAt(url, (database) =>
        run(knexPetRepository(database).create(newPet, key)),
      );
      try {
        await type(await wordsFor('backup', url, dump));
        await withDatabaseAt(url, async ({ writes }) => {
          for (const table of ['pets', 'creation_keys', 'api_keys']) await writes(table).delete();
        });
        await type(await wordsFor('restore', url, dump));
      } finally {
        await rm(dump, { force: true });
      }
      expect((await runInProcess(['migrate'], { DATABASE_URL: url })).stdout).to.equal('up to date\n');
      expect((await runInProcess(['keys', 'list'], { DATABASE_URL: url })).stdout).to.include('"kept"');
      const again = await withDatabaseAt(url, (database) =>
        run(knexPetRepository(database).create(newPet, key)),
      );
      expect(again).to.deep.equal({ pet, replayed: true });
    });
  });

  it('bring back all that was acknowledged before the backup began, when it was made under load', async function () {
    if (programs === undefined) this.skip();
    this.timeout(120_000);
    await withInstalledPostgres(programs, async ({ url: server, program }) => {
      const [from, to] = ['loaded', 'restored'].map((name) => server.replace(/postgres$/, name));
      if (from === undefined || to === undefined) throw new Error('no addresses');
      const dump = join(tmpdir(), `animal-store-under-load-${process.pid}.dump`);
      const tell = async (name: string, ...words: ReadonlyArray<string>): Promise<void> => {
        expect(await startProgram(program(name), words).ended).to.include({ code: 0, stderr: '' });
      };
      await execute(server, 'create database loaded', 'create database restored');
      try {
        const acknowledged = await underLoad(from, () =>
          tell('pg_dump', '--format=custom', `--file=${dump}`, from),
        );
        await tell('pg_restore', '--clean', '--if-exists', '--single-transaction', `--dbname=${to}`, dump);
        await expectRestored(to, acknowledged);
      } finally {
        await killServices();
        await rm(dump, { force: true });
      }
    });
  });
});
