import { expect } from 'chai';
import { Client } from 'pg';
import { apiKeyStore } from '../../../../adapters/knex';
import { success } from '../../../contracts/outcome';
import { addsColour, asProgramWith } from '../../../support/databases/migrations';
import { columnOf } from '../../../support/databases/sqlite-files';
import { createPet } from '../../../support/http/client';
import { createPostgresDatabase, inPostgresDatabase } from '../../../support/postgres/postgres';
import { main } from '../../../support/processes/command';
import { runInProcess } from '../../../support/processes/run-in-process';
import { needsPrograms } from '../../../support/processes/system';
import { startAtTerminal } from '../../../support/processes/terminal';
import { whileServing } from '../../../support/service/serve-in-process';
import { newDatabaseFile, removeFolders } from '../../../support/temporary-folder';
import { checksOf, doctor, withDatabase } from './support';

describe('animal-store doctor', () => {
  afterEach(removeFolders);

  it('passes next to a running service, prints a line for each check, and leaves no data', async () => {
    const file = await newDatabaseFile();
    const environment = { PORT: '0', DATABASE_URL: `sqlite:${file}`, API_KEYS: '' };
    const { code, stdout } = await whileServing(environment, async ({ address, firstKey: key }) => {
      await createPet({ address, key }, '{"name":"Rex","categoryId":7}');
      return runInProcess(['doctor'], environment);
    });
    expect(code).to.equal(0);
    const lines = stdout.split('\n').slice(0, -1);
    expect(lines.map((line) => line.split(/ +/).slice(0, 2).join(' '))).to.deep.equal([
      'ok settings',
      'ok user',
      'ok file',
      'ok driver',
      'ok connection',
      'ok schema',
      'ok rights',
      'ok animals',
      'ok keys',
      'ok port',
    ]);
    expect(
      lines.slice(2, -1).map((line) =>
        line
          .split(/ {2,}/)
          .slice(2)
          .join()
          .replace(/\d+ ms/, '2 ms'),
      ),
    ).to.deep.equal([
      `${file} can be read and written`,
      'the driver of the database is installed',
      `sqlite:${file} can be opened, and has no damage`,
      'up to date',
      'this user may do what `serve` does, and a commit takes 2 ms',
      'every animal can be read',
      '1 valid key in the database',
    ]);
    expect(await columnOf(file, 'heartbeats', 'id')).to.not.include(0);
    expect(await columnOf(file, 'pets', 'name')).to.deep.equal(['Rex']);
  });

  it('passes for a store in memory', async () => {
    const { results, text } = await doctor({
      DATABASE_URL: 'memory:',
      API_KEYS: 'secret-of-22-characters,secret-of-the-tests-too',
    });
    expect(checksOf(results)).to.deep.equal(['settings', 'user', 'driver', 'keys', 'port']);
    expect(results.find(({ check }) => check === 'keys')?.text).to.equal('2 keys in API_KEYS');
    expect(text).to.not.contain('secret');
  });

  it('names the role, the schema and TLS of a PostgreSQL server, and reports one without fsync', async () => {
    const { url, drop } = await createPostgresDatabase();
    try {
      for (const migrations of [/^pending: 001_create_tables, /, /^up to date$/]) {
        const { results } = await doctor({ DATABASE_URL: url });
        const server = results.find(({ check }) => check === 'server');
        // The shared server of the tests runs without fsync, but a server in TEST_POSTGRES_URL may run with it.
        expect(server?.ok).to.equal(server?.text.startsWith('fsync=on'));
        expect(server?.text).to.match(
          server?.ok === true
            ? /statement_timeout=3000, .*=on(, transaction_timeout=0)?$/
            : /=on(, transaction_timeout=0)?; a crash can lose animals; set fsync/,
        );
        expect(checksOf(results.filter(({ ok, check }) => !ok && check !== 'server'))).to.deep.equal([]);
        expect(results.find(({ check }) => check === 'schema')?.text).to.match(migrations);
        expect(results.find(({ check }) => check === 'connection')?.text).to.match(
          /^role \w+, schema public, without TLS$/,
        );
        expect((await runInProcess(['migrate'], { DATABASE_URL: url })).code).to.equal(0);
      }
    } finally {
      await drop();
    }
  });

  it('warns if a server has too few connections for two instances, and says which settings would do', () =>
    inPostgresDatabase(async (url) => {
      const roomFor = async (poolSize: number) => {
        const { results } = await doctor({ DATABASE_URL: url, POSTGRES_POOL_SIZE: String(poolSize) });
        const [finding] = results.filter(({ text }) => text.startsWith('max_connections='));
        return { isWarning: finding?.isWarning, text: finding?.text ?? '' };
      };
      const numberIn = (text: string, before: RegExp): number =>
        Number(new RegExp(`${before.source}(\\d+)`).exec(text)?.[1]);
      const other = new Client({ connectionString: url, application_name: 'another program' });
      await other.connect();
      const small = await roomFor(2);
      expect(small.isWarning, small.text).to.equal(undefined);
      expect(small.text).to.match(
        /^max_connections=\d+ has room for \d+ instances with POSTGRES_POOL_SIZE=2$/,
      );
      const { isWarning, text } = await roomFor(900);
      await other.end();
      expect(isWarning, text).to.equal(true);
      const limit = numberIn(text, /max_connections=/);
      const taken = numberIn(text, /; /) + numberIn(text, /are reserved, and other programs hold /);
      expect(taken).to.be.at.least(4);
      expect(text).to.include(
        ` room for ${Math.floor(Math.max(0, limit - taken) / 900)} instances with POSTGRES_POOL_SIZE=900; `,
      );
      expect(numberIn(text, /at most /)).to.equal(Math.floor((limit - taken) / 2));
      expect(numberIn(text, /at least /)).to.equal(taken + 1_800);
    }));

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

  it('reports a PostgreSQL server that does not answer, without its password', async () => {
    const { failed, text } = await doctor({ DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/animals' });
    expect(checksOf(failed)).to.deep.equal(['connection']);
    expect(failed[0]?.text).to.contain('ECONNREFUSED').and.to.contain('start PostgreSQL there');
    expect(text).to.not.contain('secret');
  });

  it('warns of a valid key whose requests fail, because SQL has removed its owner', async () => {
    const file = await newDatabaseFile();
    await withDatabase(file, async (database) => {
      const { id } = await success(apiKeyStore(database).create('one'));
      await database.writePool('api_keys').update({ owner_id: '' });
      const { results } = await doctor({ DATABASE_URL: `sqlite:${file}` });
      expect(results.filter(({ check }) => check === 'keys').slice(1)).to.deep.equal([
        {
          check: 'keys',
          ok: true,
          isWarning: true,
          text: `the row with id ${id} in table api_keys has an invalid owner_id; correct it`,
        },
      ]);
    });
  });

  it('reports a missing key in production, also when the last key is revoked', async () => {
    const file = await newDatabaseFile();
    const environment = { DATABASE_URL: `sqlite:${file}`, NODE_ENV: 'production' };
    expect(checksOf((await doctor(environment)).failed)).to.deep.equal(['file', 'keys']);
    await withDatabase(file, async (database) => {
      const { create, revoke } = apiKeyStore(database);
      const { id } = await success(create('one'));
      expect((await doctor(environment)).failed).to.deep.equal([]);
      await success(revoke(id));
      await success(create('two', { lifetimeMs: 0 }));
    });
    expect(checksOf((await doctor(environment)).failed)).to.deep.equal(['keys']);
    const inDevelopment = await doctor({ ...environment, NODE_ENV: 'development' });
    expect(inDevelopment.failed).to.deep.equal([]);
    expect(inDevelopment.results.find(({ check }) => check === 'keys')).to.include({ isWarning: true });
    const started = await runInProcess(['serve'], { ...environment, PORT: '0' });
    expect(started.code, 'serve agrees').to.equal(1);
    expect(started.stderr).to.contain('there is no valid API key');
  });

  it('counts the keys of a database with pending migrations', async () => {
    const file = await newDatabaseFile();
    await withDatabase(file, async (database) => {
      await success(apiKeyStore(database).create('one'));
    });
    const environment = { DATABASE_URL: `sqlite:${file}`, NODE_ENV: 'production' };
    const { results, failed } = await asProgramWith(addsColour, () => doctor(environment));
    expect(failed).to.deep.equal([]);
    expect(results.filter(({ check }) => check === 'schema' || check === 'keys')).to.deep.equal([
      {
        check: 'schema',
        ok: true,
        text: 'pending: 900_add_colour; the next start or `animal-store migrate` runs them',
      },
      { check: 'keys', ok: true, text: '1 valid key in the database' },
    ]);
  });

  it('exits with code 1 and prints its results as JSON', async () => {
    const environment = { PORT: '0', DATABASE_URL: 'memory:', NODE_ENV: 'production' };
    const { code, stdout, stderr } = await runInProcess(['doctor', '--json'], environment);
    expect({ code, stderr }).to.deep.equal({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).to.be.an('array').with.lengthOf(5);
    expect(stdout).to.contain('{"check":"keys","ok":false,"text":"there is no valid API key; set API_KEYS"}');
  });
});

describe('animal-store doctor at a terminal', () => {
  needsPrograms('script');
  afterEach(removeFolders);

  it('wraps its lines under their texts, and says at the end how many checks failed', async () => {
    const DATABASE_URL = `sqlite:${await newDatabaseFile()}`;
    const environment = { DATABASE_URL, NODE_ENV: 'production', PORT: '0', NO_COLOR: '1' };
    const { stdout } = await startAtTerminal(`exec ${process.execPath} ${main} doctor`, {
      environment,
      columns: 80,
    }).ended;
    const lines = stdout.trimEnd().split('\r\n');
    expect(lines.at(-1)).to.match(/^\d checks failed$/);
    for (const line of lines.slice(0, -2).filter((line) => !line.includes(DATABASE_URL.slice(7))))
      expect(line).to.match(/^(?:(?:ok {2}|WARN|FAIL) {2}\w+ +| {18})\S.{0,61}$/);
  });
});
