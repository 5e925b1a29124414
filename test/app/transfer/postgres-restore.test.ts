import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execute, inPostgresDatabase } from '../../support/postgres/postgres';
import { runInProcess } from '../../support/processes/run-in-process';
import { makeFolder, removeFolders } from '../../support/temporary-folder';

/** Runs `restore` with a pg_restore that prints `list` and restores nothing, and with a psql that fails. */
const restore = async (url: string, list: string, ...words: ReadonlyArray<string>): Promise<string> => {
  const folder = await makeFolder();
  writeFileSync(join(folder, 'pg_restore'), `#!/bin/sh\necho "${list}"\n`, { mode: 0o755 });
  writeFileSync(join(folder, 'psql'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const environment = { DATABASE_URL: url, PATH: `${folder}:/bin` };
  const { code, stderr } = await runInProcess(['restore', 'dump', ...words], environment);
  expect(code, stderr).to.equal(1);
  return stderr;
};

const listOf = (schema: string): string =>
  `;\n3345; 0 16389 TABLE DATA ${schema} pets zoo keeper\n3346; 0 16390 TABLE DATA ${schema} animal_store_migrations zoo keeper`;

describe('A restore on PostgreSQL', () => {
  afterEach(removeFolders);

  it('says what remains to do if it fails after its commit', () =>
    inPostgresDatabase(async (url) => {
      expect(await restore(url, listOf('public'), '--role', 'shop')).to.match(
        /; the animals are restored, without the rights of the service: run `psql --set=role=shop .*grants\.sql` .*`animal-store migrate`/,
      );
      const unmigrated = await restore(url, listOf('public'));
      expect(unmigrated).to.include('there is no animal store in');
      expect(unmigrated).to.match(/; the animals are restored, but not migrated: run `animal-store migrate`/);
    }));

  it('prints the first error if the tables can not be dropped either', () =>
    inPostgresDatabase(async (url) => {
      await execute(url, 'create view pets as select 1 as id');
      const printed = await restore(url, listOf('public'), '--check', '--into', url, '--role', 'shop');
      expect(printed).to.include('psql').and.not.include('is not a table');
    }));

  it('says that a backup is of the other engine', async () => {
    const folder = await makeFolder();
    const [dump, file] = [join(folder, 'dump'), join(folder, 'animals.sqlite3')];
    writeFileSync(dump, 'PGDMP\u0001');
    const onSqlite = { DATABASE_URL: `sqlite:${file}` };
    for (const words of [[], ['--check'], ['--replace']])
      expect((await runInProcess(['restore', dump, ...words], onSqlite)).stderr).to.include(
        `${dump} is a backup of PostgreSQL; restore it into PostgreSQL, or check it there: --check --into postgres://...;`,
      );
    await runInProcess(['migrate'], onSqlite);
    await inPostgresDatabase(async (url) => {
      const { stderr } = await runInProcess(['restore', file, '--into', url], onSqlite);
      expect(stderr).to.include(`${file} is a backup of SQLite; restore it into a SQLite file`);
    });
  });

  it('names the option that has the address', async () => {
    for (const [address, reason] of [
      ['memory:', 'but --into is `memory:`'],
      ['postgres://127.0.0.1:1/x', 'set the host and port in --into'],
    ] as const)
      expect(await restore('memory:', listOf('public'), '--into', address)).to.include(reason);
  });

  it('refuses a backup of another schema, and a dump of something else', () =>
    inPostgresDatabase(async (url) => {
      expect(await restore(url, listOf('big cats'))).to.match(
        /the backup is of the schema big cats, but the address selects the schema public; .*; the database is unchanged\n$/,
      );
      for (const table of ['orders', 'pets'])
        expect(await restore(url, `1; 0 2 TABLE DATA public ${table} keeper`)).to.match(
          /: dump is not a backup of an animal store; the database is unchanged\n$/,
        );
    }));
});
