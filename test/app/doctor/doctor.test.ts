import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
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
import { join } from 'node:path';
import { apiKeyRegister, type Database, migrate, openSqlite } from '../../../adapters/knex';
import { diagnose } from '../../../app/doctor/diagnose';
import type { CheckResult } from '../../../app/doctor/check-result';
import { CategoryId, PetName } from '../../../core';
import { decoded } from '../../contracts/outcome';
import { newCatalogue } from '../../support/databases/catalogue';
import { type Environment, main, runCommand } from '../../support/processes/command';
import { columnOf } from '../../support/databases/inspect-sqlite';
import { createPet } from '../../support/http/pet-calls';
import { createPostgresDatabase } from '../../support/postgres/postgres';
import { freePort, portsThatBrowsersBlock } from '../../support/processes/free-port';
import { run } from '../../support/run';
import { runInProcess } from '../../support/service/run-in-process';
import { runUnprivileged } from '../../support/processes/run-unprivileged';
import { killServices, startService } from '../../support/service/service-process';
import { makeFolder, newDatabaseFile, removeFolders } from '../../support/temporary-folder';

/** The same as the command, without the time that a process takes. */
const doctor = async (environment: Environment) => {
  const results = await diagnose({ PORT: '0', ...environment })();
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

  it('finds nothing wrong beside a service that runs, says a line for each thing, and leaves nothing', async () => {
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
      `sqlite:${file} reads and writes`,
      'journal_mode=wal, synchronous=2',
      'up to date',
      '1 valid in the database',
    ]);
    await service.stop();
    expect(await columnOf(file, 'heartbeats', 'id')).to.not.include(0);
    expect(await columnOf(file, 'pets', 'name')).to.deep.equal(['Rex']);
  });

  it('finds nothing wrong in memory', async () => {
    const { results, text } = await doctor({ DATABASE_URL: 'memory:', API_KEYS: 'secret1,secret2' });
    expect(checksOf(results)).to.deep.equal(['settings', 'port', 'database', 'keys', 'clock']);
    expect(results.find(({ check }) => check === 'keys')?.text).to.equal('2 in API_KEYS');
    expect(text).to.not.contain('secret');
  });

  it('finds of a PostgreSQL server whether a commit lasts, and nothing else wrong', async () => {
    const { url, drop } = await createPostgresDatabase();
    try {
      for (const migrations of [/^001_create_pets, .* to run/, /^up to date$/]) {
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

  it('makes no file where there is none, but asks for its folder', async () => {
    const file = await newDatabaseFile();
    expect((await doctor({ DATABASE_URL: `sqlite:${file}` })).failed).to.deep.equal([]);
    expect(existsSync(file)).to.equal(false);
    const nowhere = `sqlite:${join(file, 'nowhere', 'animals.sqlite3')}`;
    expect(checksOf((await doctor({ DATABASE_URL: nowhere })).failed)).to.deep.equal(['database']);
  });

  it('names the migrations that the next start will run, and runs none', async () => {
    const file = await newDatabaseFile();
    writeFileSync(file, '');
    for (let time = 0; time < 2; time += 1) {
      const { results, failed } = await doctor({ DATABASE_URL: `sqlite:${file}` });
      expect(failed).to.deep.equal([]);
      expect(results.find(({ check }) => check === 'migrations')?.text).to.match(
        /^001_create_pets, .* to run/,
      );
    }
  });

  it('names every setting that is wrong, without its value', async () => {
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

  it('finds a port that is taken by another program', async () => {
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

  it('finds nothing wrong with a port that the service has itself', async () => {
    const service = await startService({ DATABASE_URL: 'memory:' });
    const { port } = new URL(service.address);
    const { results, failed } = await doctor({ DATABASE_URL: 'memory:', PORT: port });
    expect(failed).to.deep.equal([]);
    expect(results.find(({ check }) => check === 'port')?.text).to.match(/taken by an animal store/);
  });

  it('finds nothing wrong with a port of the service that no browser asks', async () => {
    const environment = { DATABASE_URL: 'memory:', PORT: String(await freePort(portsThatBrowsersBlock)) };
    const service = await startService(environment);
    const { results } = await doctor(environment);
    await service.stop();
    expect(results.find(({ check }) => check === 'port')?.text).to.match(/taken by an animal store/);
  });

  it('finds an index that is not of its table, when it is to read all', async () => {
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

  it('finds a file that is no database', async () => {
    const file = join(await makeFolder(), 'animals.sqlite3');
    writeFileSync(file, 'no database, but longer than the head of one, '.repeat(40));
    const { failed } = await doctor({ DATABASE_URL: `sqlite:${file}` });
    expect(checksOf(failed)).to.deep.equal(['database']);
    expect(failed[0]?.text).to.contain('file is not a database');
  });

  it('finds a PostgreSQL server that does not answer, and keeps its password', async () => {
    const { failed, text } = await doctor({ DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/animals' });
    expect(checksOf(failed)).to.deep.equal(['database']);
    expect(failed[0]?.text).to.contain('ECONNREFUSED').and.to.contain('start PostgreSQL there');
    expect(text).to.not.contain('secret');
  });

  it('finds that nobody has a key in production, be it that the last one is revoked', async () => {
    const file = await newDatabaseFile();
    const environment = { DATABASE_URL: `sqlite:${file}`, NODE_ENV: 'production' };
    expect(checksOf((await doctor(environment)).failed)).to.deep.equal(['keys']);
    await withDatabase(file, async (database) => {
      const { issue, revoke } = apiKeyRegister(database);
      const { id } = await run(issue('one'));
      expect((await doctor(environment)).failed).to.deep.equal([]);
      await run(revoke(id));
      await run(issue('two', 0));
    });
    expect(checksOf((await doctor(environment)).failed)).to.deep.equal(['keys']);
    expect(checksOf((await doctor({ ...environment, NODE_ENV: 'development' })).failed)).to.deep.equal([
      'keys',
    ]);
    const started = await runInProcess(['serve'], { ...environment, PORT: '0' });
    expect(started.code, 'serve agrees').to.equal(1);
    expect(started.stderr).to.contain('there is no valid API key');
  });

  it('finds the keys of a database that the next start brings up to date', async () => {
    const file = await newDatabaseFile();
    await withDatabase(file, async (database) => {
      await run(apiKeyRegister(database).issue('one'));
      await database.writes.migrate.down({ name: '006_add_key_owners' });
    });
    const environment = { DATABASE_URL: `sqlite:${file}`, NODE_ENV: 'production' };
    const { results, failed } = await doctor(environment);
    expect(failed).to.deep.equal([]);
    expect(results.filter(({ check }) => check === 'migrations' || check === 'keys')).to.deep.equal([
      {
        check: 'migrations',
        ok: true,
        text: '006_add_key_owners to run: the next start or `migrate` does it',
      },
      { check: 'keys', ok: true, text: '1 valid in the database' },
    ]);
    await (await startService(environment)).stop();
  });

  it('finds that the clock has gone back', async () => {
    const file = await newDatabaseFile();
    await withDatabase(file, async (database) => {
      await run(apiKeyRegister(database).issue('one'));
      await database.writes('api_keys').update({ created_at: '2999-01-01T00:00:00.000Z' });
    });
    const { failed } = await doctor({ DATABASE_URL: `sqlite:${file}` });
    expect(checksOf(failed)).to.deep.equal(['clock']);
  });

  it('finds a database that can not be written', async () => {
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

  it('finds a file that can not be opened, though nothing is there yet', async () => {
    const folder = await makeFolder();
    writeFileSync(join(folder, 'text'), 'text');
    symlinkSync(join(folder, 'nowhere', 'animals.sqlite3'), join(folder, 'dangling'));
    symlinkSync('loop', join(folder, 'loop'));
    for (const [file, reason] of [
      ['text/animals.sqlite3', `can't be made: ${folder}/text is a file: name a file in a folder`],
      ['dangling', `can't be made: make the folder ${folder}/nowhere`],
      ['loop', "can't be made: it is a link that leads to itself: name a file"],
      ['n'.repeat(256), "can't be made: its name is too long: name another file"],
    ] as const) {
      const { failed } = await doctor({ DATABASE_URL: `sqlite:${join(folder, file)}` });
      expect(failed.map(({ check, text }) => [check, text])).to.deep.equal([
        ['database', `${join(folder, file)} ${reason}`],
      ]);
    }
  });

  it('finds a folder or a pipe where a file should be', async () => {
    const folder = await makeFolder();
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const [file, reason] of [
      [folder, 'it is a folder: name a file in it'],
      [join(folder, 'pipe'), 'it is no regular file: name one'],
    ] as const) {
      const { failed } = await doctor({ DATABASE_URL: `sqlite:${file}` });
      expect(failed.map(({ check, text }) => [check, text])).to.deep.equal([
        ['database', `${file} can't be opened: ${reason}`],
      ]);
    }
  });

  it('finds a folder that this user may not enter', async function () {
    const folder = await makeFolder();
    chmodSync(folder, 0o666);
    const { code, stdout } = await runUnprivileged([process.execPath, main, 'doctor'], {
      PORT: '0',
      DATABASE_URL: `sqlite:${folder}/animals`,
    });
    if (code === null || stdout === '') this.skip();
    expect(stdout).to.include(`can't be made: let this user write in the folder ${folder}`);
    expect(code).to.equal(1);
  });

  it('finds that the animals are gone', async () => {
    const file = await newDatabaseFile();
    await withDatabase(file, async ({ writes }) => {
      await writes.schema.dropTable('pets');
    });
    const { failed } = await doctor({ DATABASE_URL: `sqlite:${file}` });
    expect(checksOf(failed)).to.deep.equal(['database']);
    expect(failed[0]?.text).to.contain('no such table: pets');
  });

  it('finds that an animal can not be read', async () => {
    const file = await newDatabaseFile();
    await withDatabase(file, async ({ writes }) => {
      await writes('pets').insert({ name: 'a\0b', category_id: 1 });
    });
    const { failed } = await doctor({ DATABASE_URL: `sqlite:${file}` });
    expect(checksOf(failed)).to.deep.equal(['database']);
    expect(failed[0]?.text).to.contain('row 1 of pets is no animal');
  });

  it('finds damaged pages, and says what to do', async () => {
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
    expect(failed[0]?.text).to.match(/it is damaged: .*: put a backup in its place$/);
  });

  it('knows of 200,000 keys how many are valid', async () => {
    const file = await newDatabaseFile();
    await withDatabase(file, async ({ writes }) => {
      await writes.raw(
        `insert into api_keys (id, name, digest, last_four, created_at)
         with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 200000)
         select 'key' || n, 'many', 'digest' || n, 'abcd', '2026-01-01T00:00:00.000Z' from numbers`,
      );
    });
    const { results, failed } = await doctor({ DATABASE_URL: `sqlite:${file}` });
    expect(failed).to.deep.equal([]);
    expect(results.find(({ check }) => check === 'keys')?.text).to.equal('200000 valid in the database');
  });

  it('changes no byte: not the journal mode, not a write-ahead log that a crash has left', async () => {
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
    const kept = () =>
      Object.fromEntries(
        readdirSync(folder)
          .filter((name) => !name.endsWith('-shm'))
          .map((name) => [name, hash('sha256', readFileSync(join(folder, name)))]),
      );
    const before = kept();
    expect(Object.keys(before)).to.have.members(['rollback', 'crashed', 'crashed-wal', 'closed']);
    for (const file of [rollback, crashed, closed]) {
      expect((await doctor({ DATABASE_URL: `sqlite:${file ?? ''}` })).failed).to.deep.equal([]);
      expect(kept(), file).to.deep.equal(before);
    }
  });

  it('ends with exit code 1 and what it found as JSON', async () => {
    const environment = { PORT: '0', DATABASE_URL: 'memory:', NODE_ENV: 'production' };
    const { code, stdout, stderr } = await runCommand(['doctor', '--json'], environment);
    expect({ code, stderr }).to.deep.equal({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).to.be.an('array').with.lengthOf(5);
    expect(stdout).to.contain('{"check":"keys","ok":false,"text":"there is no valid API key: set API_KEYS"}');
  });
});
