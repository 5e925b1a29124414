import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { apiKeyStore, type Database, migrate, openSqlite } from '../../../adapters/knex';
import { diagnose } from '../../../app/doctor/diagnose';
import type { CheckResult } from '../../../app/doctor/check-result';
import { CategoryId, PetName } from '../../../core';
import { decoded } from '../../contracts/outcome';
import { addsColour, asProgramWith } from '../../support/databases/migrations';
import { newCatalogue } from '../../support/databases/catalogue';
import { type Environment, main, runCommand, runUnprivileged } from '../../support/processes/command';
import { columnOf } from '../../support/databases/sqlite-files';
import { createPet } from '../../support/http/client';
import { createPostgresDatabase, execute } from '../../support/postgres/postgres';
import { freePort, portsThatBrowsersBlock } from '../../support/processes/system';
import { run } from '../../support/run';
import { runInProcess } from '../../support/processes/run-in-process';
import { killServices, startService } from '../../support/service/service-process';
import { makeFolder, newDatabaseFile, removeFolders } from '../../support/temporary-folder';

/** The same as the command, without the time that a process takes. */
const doctor = async (environment: Environment) => {
  const results = await diagnose({ PORT: '0', ...environment });
  return { results, failed: results.filter(({ ok }) => !ok), text: JSON.stringify(results) };
};

/** A database that is up to date, and closed at the end. */
const withDatabase = async (file: string, use: (database: Database) => Promise<void>): Promise<void> => {
  const database = openSqlite(file);
  try {
    await run(migrate(database));
    await use(database);
  } finally {
    await database.close();
  }
};

const checksOf = (results: ReadonlyArray<CheckResult>) => results.map(({ check }) => check);

describe('animal-store doctor', () => {
  afterEach(killServices);
  afterEach(removeFolders);

  it('passes next to a running service, prints a line for each check, and leaves no data', async () => {
    const file = await newDatabaseFile();
    const service = await startService({ DATABASE_URL: `sqlite:${file}` });
    const key = await service.firstKey();
    await createPet({ ...service, key }, '{"name":"Rex","categoryId":7}');
    const environment = { PORT: '0', DATABASE_URL: `sqlite:${file}` };
    const { code, stdout } = await runInProcess(['doctor'], environment);
    expect(code).to.equal(0);
    const lines = stdout.split('\n').slice(0, -1);
    expect(lines.map((line) => line.split(/ +/).slice(0, 2).join(' '))).to.deep.equal([
      'ok settings',
      'ok port',
      'ok database',
      'ok durability',
      'ok migrations',
      'ok keys',
      'ok clock',
    ]);
    expect(lines.slice(2, 6).map((line) => line.split(/ {2,}/).slice(2).join())).to.deep.equal([
      `sqlite:${file} can be read and written`,
      'journal_mode=wal, synchronous=2',
      'up to date',
      '1 valid key in the database',
    ]);
    await service.stop();
    expect(await columnOf(file, 'heartbeats', 'id')).to.not.include(0);
    expect(await columnOf(file, 'pets', 'name')).to.deep.equal(['Rex']);
  });

  it('passes for a store in memory', async () => {
    const { results, text } = await doctor({ DATABASE_URL: 'memory:', API_KEYS: 'secret1,secret2' });
    expect(checksOf(results)).to.deep.equal(['settings', 'port', 'database', 'keys', 'clock']);
    expect(results.find(({ check }) => check === 'keys')?.text).to.equal('2 keys in API_KEYS');
    expect(text).to.not.contain('secret');
  });

  it('reports only durability of a PostgreSQL server without fsync', async () => {
    const { url, drop } = await createPostgresDatabase();
    try {
      for (const migrations of [/^pending: 001_create_tables:/, /^up to date$/]) {
        const { results } = await doctor({ DATABASE_URL: url });
        const durability = results.find(({ check }) => check === 'durability');
        // The tests' own server runs without fsync, another one may not.
        expect(durability?.ok).to.equal(durability?.text.startsWith('fsync=on'));
        expect(checksOf(results.filter(({ ok, check }) => !ok && check !== 'durability'))).to.deep.equal([]);
        expect(results.find(({ check }) => check === 'migrations')?.text).to.match(migrations);
        expect((await runInProcess(['migrate'], { DATABASE_URL: url })).code).to.equal(0);
      }
    } finally {
      await drop();
    }
  });

  it('creates no file, but requires its folder', async () => {
    const file = await newDatabaseFile();
    expect((await doctor({ DATABASE_URL: `sqlite:${file}` })).failed).to.deep.equal([]);
    expect(existsSync(file)).to.equal(false);
    const nowhere = `sqlite:${join(file, 'nowhere', 'animals.sqlite3')}`;
    expect(checksOf((await doctor({ DATABASE_URL: nowhere })).failed)).to.deep.equal(['database']);
  });

  it('names the pending migrations and runs none', async () => {
    const file = await newDatabaseFile();
    writeFileSync(file, '');
    for (let time = 0; time < 2; time += 1) {
      const { results, failed } = await doctor({ DATABASE_URL: `sqlite:${file}` });
      expect(failed).to.deep.equal([]);
      expect(results.find(({ check }) => check === 'migrations')?.text).to.match(
        /^pending: 001_create_tables:/,
      );
    }
  });

  it('names every invalid setting without its value', async () => {
    const { results, text } = await doctor({
      PORT: 'secret',
      LOG_LEVEL: 'secret',
      DATABASE_URL: 'secret',
    });
    expect(results.map(({ check, ok, text }) => [check, ok, text.split(' ')[0]])).to.deep.equal([
      ['settings', false, 'PORT'],
      ['settings', false, 'DATABASE_URL'],
      ['settings', false, 'LOG_LEVEL'],
    ]);
    expect(text).to.not.contain('secret');
  });

  it('reports a port that another program has taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    server.on('connection', (socket) => socket.destroy());
    const { failed } = await doctor({ DATABASE_URL: 'memory:', PORT: port });
    server.close();
    expect(checksOf(failed)).to.deep.equal(['port']);
    expect(failed[0]?.text).to.contain(`EADDRINUSE: address already in use 127.0.0.1:${port}`);
  });

  it('accepts the port of the running service in memory', async () => {
    const service = await startService({ DATABASE_URL: 'memory:' });
    const { port } = new URL(service.address);
    const { results, failed } = await doctor({ DATABASE_URL: 'memory:', PORT: port });
    expect(failed).to.deep.equal([]);
    expect(results.find(({ check }) => check === 'port')?.text).to.match(/taken by an animal store/);
  });

  it('accepts the ports of a service with the same database, and rejects those of another store', async () => {
    const [own, other] = [await newDatabaseFile(), await newDatabaseFile()];
    const service = await startService({ DATABASE_URL: `sqlite:${own}`, ADMIN_PORT: '0' });
    const { port } = new URL(service.address);
    const { port: adminPort } = new URL(await service.adminAddress());
    const ports = { PORT: port, ADMIN_PORT: adminPort };
    for (let time = 0; time < 2; time += 1) {
      expect((await doctor({ DATABASE_URL: `sqlite:${own}`, ...ports })).failed).to.deep.equal([]);
    }
    await withDatabase(other, () => Promise.resolve());
    for (const file of [other, await newDatabaseFile()]) {
      const { failed } = await doctor({ DATABASE_URL: `sqlite:${file}`, ...ports });
      expect(failed.map(({ text }) => text)).to.deep.equal([
        `${port} on 127.0.0.1 is taken by an animal store with another database: stop it, or set PORT or HOST`,
        `${adminPort} on 127.0.0.1 is taken by an animal store with another database: stop it, or set ADMIN_PORT or ADMIN_HOST`,
      ]);
      const started = await runInProcess(['serve'], { DATABASE_URL: `sqlite:${file}`, ...ports });
      expect(started.code, 'serve agrees').to.equal(1);
    }
  });

  it('reports a file that this user may not write, and serve does not start on it', async function () {
    const isReadable = await runUnprivileged(['test', '-r', main]).catch(() => undefined);
    if (isReadable?.code !== 0) this.skip();
    const folder = await makeFolder();
    const file = join(folder, 'animals.sqlite3');
    await withDatabase(file, () => Promise.resolve());
    chmodSync(folder, 0o777);
    chmodSync(file, 0o644);
    const environment = { PORT: '0', DATABASE_URL: `sqlite:${file}`, API_KEYS: 'a-key' };
    for (const command of ['doctor', 'serve']) {
      const { code, stdout, stderr } = await runUnprivileged([process.execPath, main, command], environment);
      expect(`${stdout}${stderr}`).to.include('let this user read and write it');
      expect(code, command).to.equal(1);
    }
  });

  it('reports a PostgreSQL server that rejects every create, and serve does not start on it', async () => {
    const { url, drop } = await createPostgresDatabase();
    try {
      const environment = { PORT: '0', DATABASE_URL: url, API_KEYS: 'a-key' };
      expect((await runInProcess(['migrate'], environment)).code).to.equal(0);
      await execute(url, 'drop table creation_keys');
      const { failed } = await doctor(environment);
      expect(failed.find(({ check }) => check === 'database')?.text).to.include('creation_keys');
      const { code, stderr } = await runInProcess(['serve'], environment);
      expect(stderr).to.match(/can't be used: .*creation_keys/);
      expect(code).to.equal(1);
    } finally {
      await drop();
    }
  });

  it('accepts a port of the service that fetch refuses', async () => {
    const environment = { DATABASE_URL: 'memory:', PORT: String(await freePort(portsThatBrowsersBlock)) };
    const service = await startService(environment);
    const { results } = await doctor(environment);
    await service.stop();
    expect(results.find(({ check }) => check === 'port')?.text).to.match(/taken by an animal store/);
  });

  it('reports an index that does not match its table with --full', async () => {
    const file = await newDatabaseFile();
    const root: { page: number } = { page: 0 };
    await withDatabase(file, async ({ writes }) => {
      await writes('pets').insert({ name: 'Rex', category_id: 7, status: 'sold' });
      const found = await writes('sqlite_master')
        .where({ name: 'pets_by_status' })
        .first<{ readonly rootpage: number }>('rootpage');
      root.page = found.rootpage;
    });
    const bytes = readFileSync(file);
    bytes.write('solo', bytes.indexOf('sold', (root.page - 1) * 4_096));
    writeFileSync(file, bytes);
    const environment = { PORT: '0', DATABASE_URL: `sqlite:${file}` };
    expect((await runInProcess(['doctor'], environment)).code).to.equal(0);
    const full = await runInProcess(['doctor', '--full'], environment);
    expect(full.code).to.equal(1);
    expect(full.stdout).to.match(/missing from index pets_by_status/);
  });

  it('reports a file that is not a database', async () => {
    const file = join(await makeFolder(), 'animals.sqlite3');
    writeFileSync(file, 'no database, but longer than the head of one, '.repeat(40));
    const { failed } = await doctor({ DATABASE_URL: `sqlite:${file}` });
    expect(checksOf(failed)).to.deep.equal(['database']);
    expect(failed[0]?.text).to.contain('file is not a database');
  });

  it('reports a PostgreSQL server that does not answer, without its password', async () => {
    const { failed, text } = await doctor({ DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/animals' });
    expect(checksOf(failed)).to.deep.equal(['database']);
    expect(failed[0]?.text).to.contain('ECONNREFUSED').and.to.contain('start PostgreSQL there');
    expect(text).to.not.contain('secret');
  });

  it('reports a missing key in production, also when the last key is revoked', async () => {
    const file = await newDatabaseFile();
    const environment = { DATABASE_URL: `sqlite:${file}`, NODE_ENV: 'production' };
    expect(checksOf((await doctor(environment)).failed)).to.deep.equal(['keys']);
    await withDatabase(file, async (database) => {
      const { issue, revoke } = apiKeyStore(database);
      const { id } = await run(issue('one'));
      expect((await doctor(environment)).failed).to.deep.equal([]);
      await run(revoke(id));
      await run(issue('two', { lifetimeMs: 0 }));
    });
    expect(checksOf((await doctor(environment)).failed)).to.deep.equal(['keys']);
    expect(checksOf((await doctor({ ...environment, NODE_ENV: 'development' })).failed)).to.deep.equal([
      'keys',
    ]);
    const started = await runInProcess(['serve'], { ...environment, PORT: '0' });
    expect(started.code, 'serve agrees').to.equal(1);
    expect(started.stderr).to.contain('there is no valid API key');
  });

  it('counts the keys of a database with pending migrations', async () => {
    const file = await newDatabaseFile();
    await withDatabase(file, async (database) => {
      await run(apiKeyStore(database).issue('one'));
    });
    const environment = { DATABASE_URL: `sqlite:${file}`, NODE_ENV: 'production' };
    const { results, failed } = await asProgramWith(addsColour, () => doctor(environment));
    expect(failed).to.deep.equal([]);
    expect(results.filter(({ check }) => check === 'migrations' || check === 'keys')).to.deep.equal([
      {
        check: 'migrations',
        ok: true,
        text: 'pending: 900_add_colour: the next start or `animal-store migrate` runs them',
      },
      { check: 'keys', ok: true, text: '1 valid key in the database' },
    ]);
  });

  it('reports a clock that has gone back', async () => {
    const file = await newDatabaseFile();
    await withDatabase(file, async (database) => {
      await run(apiKeyStore(database).issue('one'));
      await database.writes('api_keys').update({ created_at: '2999-01-01T00:00:00.000Z' });
    });
    const { failed } = await doctor({ DATABASE_URL: `sqlite:${file}` });
    expect(checksOf(failed)).to.deep.equal(['clock']);
  });

  it('reports a database that cannot be written', async () => {
    const file = await newDatabaseFile();
    await withDatabase(file, async ({ writes }) => {
      const transaction = await writes.transaction();
      await transaction('heartbeats').insert({ id: 7, beaten_at: 0 });
      const { failed } = await doctor({ DATABASE_URL: `sqlite:${file}` });
      await transaction.rollback();
      expect(checksOf(failed)).to.deep.equal(['database']);
      expect(failed[0]?.text).to.contain('database is locked');
    });
  });

  it('reports a file that cannot be created', async () => {
    const folder = await makeFolder();
    writeFileSync(join(folder, 'text'), 'text');
    symlinkSync(join(folder, 'nowhere', 'animals.sqlite3'), join(folder, 'dangling'));
    symlinkSync('loop', join(folder, 'loop'));
    for (const [file, reason] of [
      ['text/animals.sqlite3', `can't be created: ${folder}/text is a file: name a file in a folder`],
      ['dangling', `can't be created: create the folder ${folder}/nowhere`],
      ['loop', "can't be created: it is a symbolic link to itself: name a file"],
      ['n'.repeat(256), "can't be created: its name is too long: name another file"],
      ['n'.repeat(248), "can't be created: its name is too long: name another file"],
    ] as const) {
      const { failed } = await doctor({ DATABASE_URL: `sqlite:${join(folder, file)}` });
      expect(failed.map(({ check, text }) => [check, text])).to.deep.equal([
        ['database', `${join(folder, file)} ${reason}`],
      ]);
    }
  });

  it('reports a folder or a pipe in place of a file', async () => {
    const folder = await makeFolder();
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const [file, reason] of [
      [folder, 'it is a folder: name a file in it'],
      [join(folder, 'pipe'), 'it is not a regular file: name another file'],
    ] as const) {
      const { failed } = await doctor({ DATABASE_URL: `sqlite:${file}` });
      expect(failed.map(({ check, text }) => [check, text])).to.deep.equal([
        ['database', `${file} can't be opened: ${reason}`],
      ]);
    }
  });

  it('reports a folder that this user may not enter', async function () {
    const folder = await makeFolder();
    chmodSync(folder, 0o666);
    const { code, stdout } = await runUnprivileged([process.execPath, main, 'doctor'], {
      PORT: '0',
      DATABASE_URL: `sqlite:${folder}/animals`,
    });
    if (code === null || stdout === '') this.skip();
    expect(stdout).to.include(`can't be created: let this user write in the folder ${folder}`);
    expect(code).to.equal(1);
  });

  it('reports a missing table of animals', async () => {
    const file = await newDatabaseFile();
    await withDatabase(file, async ({ writes }) => {
      await writes.schema.dropTable('pets');
    });
    const { failed } = await doctor({ DATABASE_URL: `sqlite:${file}` });
    expect(checksOf(failed)).to.deep.equal(['database']);
    expect(failed[0]?.text).to.contain('no such table: pets');
  });

  it('reports an animal that cannot be read', async () => {
    const file = await newDatabaseFile();
    await withDatabase(file, async ({ writes }) => {
      await writes('pets').insert({ name: 'a\0b', category_id: 1 });
    });
    const { failed } = await doctor({ DATABASE_URL: `sqlite:${file}` });
    expect(checksOf(failed)).to.deep.equal(['database']);
    expect(failed[0]?.text).to.contain('row 1 of pets is not a valid animal');
  });

  it('reports damaged pages with advice', async () => {
    const { file } = await newCatalogue(
      Array.from({ length: 20_000 }, (_, index) => ({
        name: decoded(PetName, `animal ${index}`),
        categoryId: decoded(CategoryId, 1n),
      })),
    );
    const bytes = readFileSync(file);
    bytes.fill(0xff, 20 * 4_096, 40 * 4_096);
    writeFileSync(file, bytes);
    const { failed } = await doctor({ DATABASE_URL: `sqlite:${file}` });
    expect(checksOf(failed)).to.deep.equal(['database']);
    expect(failed[0]?.text).to.match(/it is damaged: .*: restore a backup$/);
    expect(readdirSync(dirname(file)), 'nothing is left beside it').to.deep.equal([basename(file)]);
  });

  it('counts the valid ones of 200,000 keys', async () => {
    const file = await newDatabaseFile();
    await withDatabase(file, async ({ writes }) => {
      await writes.raw(
        `insert into api_keys (id, owner_id, name, digest, last_four, created_at)
         with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 200000)
         select 'key' || n, 'key' || n, 'many', 'digest' || n, 'abcd', '2026-01-01T00:00:00.000Z' from numbers`,
      );
    });
    const { results, failed } = await doctor({ DATABASE_URL: `sqlite:${file}` });
    expect(failed).to.deep.equal([]);
    expect(results.find(({ check }) => check === 'keys')?.text).to.equal('200000 valid keys in the database');
  });

  it('changes only the heartbeat: neither the journal mode nor the write-ahead log of a crash', async () => {
    const folder = await makeFolder();
    const [rollback, crashed, closed] = ['rollback', 'crashed', 'closed'].map((name) => join(folder, name));
    await withDatabase(rollback ?? '', async ({ writes }) => {
      await writes.raw('pragma journal_mode = delete');
    });
    await withDatabase(closed ?? '', () => Promise.resolve());
    const live = join(await makeFolder(), 'live');
    await withDatabase(live, async ({ writes }) => {
      await writes('pets').insert({ name: 'Rex', category_id: 1 });
      copyFileSync(live, crashed ?? '');
      copyFileSync(`${live}-wal`, `${crashed ?? ''}-wal`);
    });
    const bytesIn = (name: string) => readFileSync(join(folder, name));
    // The format's version numbers, 1 for a rollback journal and 2 for a write-ahead log (SQLite file format, offset 18).
    const journalOf = (name: string) => [...bytesIn(name).subarray(18, 20)];
    const [main, log] = [bytesIn('crashed'), bytesIn('crashed-wal')];
    for (const file of [rollback, crashed, closed]) {
      expect((await doctor({ DATABASE_URL: `sqlite:${file ?? ''}` })).failed).to.deep.equal([]);
      const names = readdirSync(folder).filter((name) => !name.endsWith('-shm'));
      expect(names).to.have.members(['rollback', 'crashed', 'crashed-wal', 'closed']);
    }
    expect([journalOf('rollback'), journalOf('closed')]).to.deep.equal([
      [1, 1],
      [2, 2],
    ]);
    expect(bytesIn('crashed').equals(main), 'the log is not moved into the file').to.equal(true);
    expect(bytesIn('crashed-wal').subarray(0, log.length).equals(log), 'the log is kept').to.equal(true);
    for (const file of [rollback, crashed, closed]) {
      expect(await columnOf(file ?? '', 'heartbeats', 'id'), file).to.deep.equal([1]);
      expect(await columnOf(file ?? '', 'creation_keys', 'owner_id'), file).to.deep.equal([]);
    }
    expect(await columnOf(crashed ?? '', 'pets', 'name')).to.deep.equal(['Rex']);
  });

  it('exits with code 1 and prints its results as JSON', async () => {
    const environment = { PORT: '0', DATABASE_URL: 'memory:', NODE_ENV: 'production' };
    const { code, stdout, stderr } = await runCommand(['doctor', '--json'], environment);
    expect({ code, stderr }).to.deep.equal({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).to.be.an('array').with.lengthOf(5);
    expect(stdout).to.contain('{"check":"keys","ok":false,"text":"there is no valid API key: set API_KEYS"}');
  });
});
