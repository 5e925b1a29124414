import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { libpqEnvironment } from '../../../app/settings/postgres-url';
import { parsePostgresUrl } from '../../../app/settings/postgres-url';
import { runInProcess } from '../../support/processes/run-in-process';
import { makeFolder, removeFolders } from '../../support/temporary-folder';

/** Lines of `pg_restore --list` for the tables by which a backup command recognizes a dump of a store. */
const listOf = (schema: string): string =>
  ['pets', 'animal_store_migrations']
    .map((table) => `1; 0 2 TABLE DATA ${schema} ${table} zoo keeper\\n`)
    .join('');

const files = { roots: '/roots', noRoots: '/none' };

const base = {
  ...{ PGHOST: 'db', PGDATABASE: 'zoo', PGSSLMODE: 'disable', PGSSLROOTCERT: '/roots' },
  ...{ PGTARGETSESSIONATTRS: 'primary', PGCONNECT_TIMEOUT: '3' },
};

/** Parameters of the address `postgres://db/zoo`, each with the variables of libpq that it changes. */
const parameters: ReadonlyArray<readonly [text: string, variables: Readonly<Record<string, string>>]> = [
  ['', {}],
  ['sslmode=disable', {}],
  ['sslmode=no-verify', { PGSSLMODE: 'require', PGSSLROOTCERT: '/none' }],
  ['sslmode=no-verify&sslrootcert=/ca', { PGSSLMODE: 'require', PGSSLROOTCERT: '/none' }],
  ['sslmode=require', { PGSSLMODE: 'verify-full' }],
  ['ssl=true', { PGSSLMODE: 'verify-full' }],
  ['sslrootcert=system', { PGSSLMODE: 'verify-full' }],
  ['sslrootcert=/ca', { PGSSLMODE: 'verify-full', PGSSLROOTCERT: '/ca' }],
  ['sslmode=verify-ca&sslcert=/c&sslkey=/k', { PGSSLMODE: 'verify-full', PGSSLCERT: '/c', PGSSLKEY: '/k' }],
  ['sslmode=prefer&sslnegotiation=direct', { PGSSLMODE: 'verify-full', PGSSLNEGOTIATION: 'direct' }],
  ['channel_binding=require', { PGSSLMODE: 'verify-full', PGCHANNELBINDING: 'require' }],
  ['options=-c%20search_path%3Dcats', { PGOPTIONS: '-c search_path=cats' }],
  ['options=-c%20search_path%3Dcats&options=-c%20search_path%3Ddogs', { PGOPTIONS: '-c search_path=dogs' }],
  ['sslrootcert=/old&sslrootcert=/ca', { PGSSLMODE: 'verify-full', PGSSLROOTCERT: '/ca' }],
  ['user=me&password=a%2Fb%25', { PGUSER: 'me', PGPASSWORD: 'a/b%' }],
  ['dbname=a%26b+c%25&password=a+b', { PGDATABASE: 'a&b+c%', PGPASSWORD: 'a+b' }],
  ['host=/run/sql&port=5433', { PGHOST: '/run/sql', PGPORT: '5433' }],
  ['host=%3A%3A1', { PGHOST: '::1' }],
];

const environmentOf = (address: string) => {
  const parsed = parsePostgresUrl(address);
  if (E.isLeft(parsed)) throw new Error(parsed.left);
  return libpqEnvironment(parsed.right, files);
};

describe('A backup of PostgreSQL', () => {
  afterEach(removeFolders);

  for (const [text, variables] of parameters) {
    it(`tells pg_dump what the address tells the driver: ${text}`, () => {
      expect(environmentOf(`postgres://db/zoo?${text}`)).to.deep.equal({ ...base, ...variables });
    });
  }

  it('tells pg_dump each part of an address', () => {
    const address = 'postgresql://m%40e:p%3Aw@[::1]:5433/a%20b';
    expect(environmentOf(address)).to.deep.equal({
      ...base,
      ...{ PGHOST: '::1', PGPORT: '5433', PGUSER: 'm@e', PGPASSWORD: 'p:w', PGDATABASE: 'a b' },
    });
  });

  it('fails without pg_dump, and leaves no file', async () => {
    const folder = await makeFolder();
    const environment = { DATABASE_URL: 'postgres://keeper:s3cretWord@db/animals', PATH: folder };
    const file = join(folder, 'backup');
    const { code, stderr } = await runInProcess(['backup', file], environment);
    expect({ code, stderr }).to.deep.equal({
      code: 1,
      stderr: `database: postgres://keeper@db/animals\nerror: pg_dump is not installed; install the client programs of PostgreSQL; ${file} was not written\n`,
    });
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('writes the file to which a link leads, also if it does not exist yet', async () => {
    const [folder, programs] = [await makeFolder(), await makeFolder()];
    const restore = `#!/bin/sh\nprintf '${listOf('public')}'\n`;
    writeFileSync(join(programs, 'pg_dump'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    writeFileSync(join(programs, 'pg_restore'), restore, { mode: 0o755 });
    symlinkSync('backup', join(folder, 'link'));
    const environment = { DATABASE_URL: 'postgres://db/animals', PATH: `${programs}:/bin` };
    const { code, stderr } = await runInProcess(['backup', join(folder, 'link')], environment);
    expect(code, stderr).to.equal(0);
    expect(readdirSync(folder)).to.have.members(['link', 'backup']);
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).to.equal(true);
  });

  it('dumps only the tables of the store, by name, and waits a minute for their locks', async () => {
    const [folder, programs] = [await makeFolder(), await makeFolder()];
    const log = join(folder, 'arguments');
    writeFileSync(join(programs, 'pg_dump'), `#!/bin/sh\necho "$@" >${log}\nexit 1\n`, { mode: 0o755 });
    const environment = { DATABASE_URL: 'postgres://db/animals', PATH: `${programs}:/bin` };
    expect((await runInProcess(['backup', join(folder, 'backup')], environment)).code).to.equal(1);
    const words = readFileSync(log, 'utf8');
    expect(words).to.include('--lock-wait-timeout=60000');
    const tables = [...words.matchAll(/--table=(\S+)/g)].map(([, name]) => name);
    expect(tables).to.include.members(['pets', 'idempotency_keys', 'api_keys', 'animal_store_migrations']);
  });

  it('is read in full before it gets its name', async () => {
    const [folder, programs] = [await makeFolder(), await makeFolder()];
    const unreadable = `#!/bin/sh\ncase $1 in --list) printf '${listOf('public')}' ;; *) exit 1 ;; esac\n`;
    writeFileSync(join(programs, 'pg_dump'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    writeFileSync(join(programs, 'pg_restore'), unreadable, { mode: 0o755 });
    const environment = { DATABASE_URL: 'postgres://db/animals', PATH: `${programs}:/bin` };
    expect((await runInProcess(['backup', join(folder, 'backup')], environment)).code).to.equal(1);
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('is refused if the search path leads to the tables of two stores', async () => {
    const [folder, programs] = [await makeFolder(), await makeFolder()];
    const list = `${listOf('old')}2; 0 3 TABLE DATA new heartbeats a`;
    writeFileSync(join(programs, 'pg_dump'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    writeFileSync(join(programs, 'pg_restore'), `#!/bin/sh\nprintf '${list}\\n'\n`, { mode: 0o755 });
    const environment = { DATABASE_URL: 'postgres://db/animals', PATH: `${programs}:/bin` };
    const { code, stderr } = await runInProcess(['backup', join(folder, 'backup')], environment);
    expect(code).to.equal(1);
    expect(stderr).to.include('has the animals of the schema old, but the table heartbeats of new');
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('replaces an existing file only with --replace', async () => {
    const file = join(await makeFolder(), 'backup');
    writeFileSync(file, '');
    const { code, stderr } = await runInProcess(['backup', file], { DATABASE_URL: 'postgres://db/animals' });
    expect(code).to.equal(1);
    expect(stderr).to.include('exists; name another file, or replace it with --replace');
  });
});
