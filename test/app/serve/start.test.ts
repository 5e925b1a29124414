import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { linkSync } from 'node:fs';
import { startLine } from '../../../app/commands/serve';
import { firstCommands } from '../../../app/serve/banner';
import { decodeSettings } from '../../../app/settings/settings';
import { addsColour, asProgramWith } from '../../support/databases/migrations';
import { columnOf, hasWriteAheadLog } from '../../support/databases/sqlite-files';
import { allPets, createPet, listPets } from '../../support/http/client';
import { startProgram } from '../../support/processes/command';
import { execute, inPostgresDatabase } from '../../support/postgres/postgres';
import { needsPrograms } from '../../support/processes/system';
import { runInProcess } from '../../support/processes/run-in-process';
import { whileServing } from '../../support/service/serve-in-process';
import { logLines } from '../../support/service/log-lines';
import { killServices, startService } from '../../support/service/service-process';
import { newDatabaseFile, removeFolders } from '../../support/temporary-folder';
import { doctor } from '../store/checks/support';

const newPets = [
  '{"name":"largest","categoryId":9223372036854775807,"status":"sold"}',
  '{"name":"smallest","categoryId":-9223372036854775808,"status":"pending"}',
  '{"name":"past 2^53","categoryId":9007199254740993}',
  '{"name":"","categoryId":0,"status":"available"}',
  '{"name":"Zoë 東京 🐢 \\u0001\\n\\"\'; DROP TABLE pets;--","categoryId":-1}',
];

describe('A start', () => {
  afterEach(killServices);
  afterEach(removeFolders);

  it('prints its address, a first key and a command; the next start only its address, and keeps all animals byte for byte', async () => {
    const file = await newDatabaseFile();
    const environment = { DATABASE_URL: `sqlite:${file}` };
    const lineOf = ({ address }: { readonly address: string }): string =>
      `animal-store serves ${address} with its data in sqlite:${file} (set: DATABASE_URL=sqlite:${file}, PORT=0)\n`;
    const first = await startService(environment);
    const key = await first.firstKey();
    const answers = [];
    for (const newPet of newPets) answers.push(await createPet({ ...first, key }, newPet));
    expect(answers.map(({ status }) => status)).to.deep.equal(newPets.map(() => 201));
    const { code, stderr } = await first.stop();
    expect({ code, stderr }).to.deep.equal({
      code: 0,
      stderr:
        `${lineOf(first)}First API key, shown only once, and a command that adds an animal:\n` +
        `${firstCommands(first.address, key).join('\n')}\n`,
    });
    expect(hasWriteAheadLog(file)).to.equal(false);

    const second = await startService(environment);
    expect(await allPets({ ...second, key })).to.deep.equal(answers.map(({ text }) => text));
    const another = await createPet({ ...second, key }, '{"name":"next","categoryId":1}');
    expect(another.text).to.include(`"id":${newPets.length + 1},`);
    expect((await second.stop()).stderr).to.equal(lineOf(second));
  });

  it('warns if no key is valid, unless API_KEYS is set', async () => {
    const environment = { DATABASE_URL: `sqlite:${await newDatabaseFile()}` };
    expect((await runInProcess(['migrate'], environment)).code).to.equal(0);
    const key = (await runInProcess(['keys', 'create', '--name', 'shop'], environment)).stdout.trim();
    const startAndStop = async (more = {}): Promise<string> => {
      const { stop } = await startService({ ...environment, ...more });
      return (await stop()).stderr;
    };
    expect(await startAndStop()).to.not.include('warning');
    const revoked = await runInProcess(['keys', 'revoke', key.split('_')[1] ?? ''], environment);
    expect(revoked.code).to.equal(0);
    expect(await startAndStop()).to.match(
      /^warning: there is no valid API key; set API_KEYS, or .*keys create.*\nanimal-store serves .*\n$/,
    );
    expect(await startAndStop({ API_KEYS: 'a-key-of-22-characters-' })).to.not.include('warning');
  });

  it('creates no key if API_KEYS is set, and rejects the keys of the database', async () => {
    const environment = { DATABASE_URL: `sqlite:${await newDatabaseFile()}` };
    const withKeys = { ...environment, API_KEYS: 'one,two' };
    const file = environment.DATABASE_URL.slice('sqlite:'.length);
    await whileServing(withKeys, async ({ address, firstKey }) => {
      expect(firstKey).to.equal('no first key');
      expect(await columnOf(file, 'api_keys', 'id')).to.deep.equal([]);
      const stored = (await runInProcess(['keys', 'create', '--name', 'shop'], environment)).stdout.trim();
      const keys = ['one', 'two', 'three', 'one,two', stored];
      const statuses = await Promise.all(keys.map(async (key) => (await listPets({ address, key })).status));
      expect(statuses).to.deep.equal([200, 200, 401, 401, 401]);
    });
  });

  it('prints only JSON in production, of a start and of its failure', async () => {
    const environment = { NODE_ENV: 'production', DATABASE_URL: 'memory:', API_KEYS: 'short', PORTS: '1' };
    const service = await startService({ ...environment, ADMIN_PORT: '0' });
    await service.adminAddress();
    const { stdout, stderr } = await service.stop();
    const taken = await runInProcess(['serve'], { ...environment, PORT: 'x' });
    const messages = logLines(stderr).map(({ level, msg }) => `${String(level)}: ${String(msg)}`);
    expect(messages[0]).to.match(/^warn: .*PORTS/);
    expect(messages.at(-1)).to.match(/^info: Metrics and health checks/);
    expect(logLines(stdout).at(-1)).to.include({ msg: 'stopped' });
    expect(logLines(taken.stderr).at(-1)?.['level']).to.equal('fatal');
  });

  it('fails in production without a key, says how to get one, and succeeds once the advice is followed', async () => {
    const production = { NODE_ENV: 'production', PORT: '0' };
    const environment = { ...production, DATABASE_URL: `sqlite:${await newDatabaseFile()}` };
    const missing = await runInProcess(['serve'], { ...environment, API_KEYS: 'a-key-of-22-characters-' });
    expect(missing.code).to.equal(1);
    expect(missing.stderr).to.include('there is no animal store in').and.include('`animal-store migrate`');
    const doctor = await runInProcess(['doctor'], { ...environment, API_KEYS: 'a-key-of-22-characters-' });
    expect(doctor.code).to.equal(1);
    expect(doctor.stdout).to.include('there is no animal store in');
    expect((await runInProcess(['migrate'], environment)).code).to.equal(0);
    for (const [settings, advice] of [
      [{ ...production, DATABASE_URL: 'memory:' }, 'set API_KEYS'],
      [environment, 'set API_KEYS, or create a key with `animal-store keys create --name NAME`'],
    ] as const) {
      const { code, stdout, stderr } = await runInProcess(['serve'], settings);
      expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
      expect(logLines(stderr)[0]).to.include({ level: 'fatal', msg: `there is no valid API key; ${advice}` });
    }
    const key = (await runInProcess(['keys', 'create', '--name', 'shop'], environment)).stdout.trim();
    await whileServing({ ...environment, API_KEYS: '' }, async ({ address, firstKey }) => {
      expect(firstKey).to.equal('no first key');
      expect(await listPets({ address, key })).to.deep.equal({ status: 200, text: '[]' });
    });
  });
});

describe('A start on PostgreSQL', () => {
  it('prints the warnings of `doctor` about the server', () =>
    inPostgresDatabase(async (url) => {
      await execute(
        url,
        `update pg_database set datcollversion = '1.2.3' where datname = current_database()`,
      );
      const environment = { DATABASE_URL: url, POSTGRES_POOL_SIZE: '900' };
      const { results } = await doctor(environment);
      const warnings = results
        .filter(({ check, isWarning }) => check === 'server' && isWarning)
        .map(({ text }) => text);
      expect(warnings.map((text) => text.slice(0, 14))).to.deep.equal([
        'the order of t',
        'max_connections'.slice(0, 14),
      ]);
      await whileServing(environment, ({ stderr }) => {
        expect(stderr())
          .to.include(`warning: ${warnings[0] ?? ''}\n`)
          .and.match(/^warning: max_connections=/m);
        return Promise.resolve();
      });
    }));
});

describe('The messages of a start', () => {
  afterEach(removeFolders);

  it('tell a migration from a warning, which shows no progress', async () => {
    const file = await newDatabaseFile();
    const environment = { DATABASE_URL: `sqlite:${file}` };
    await whileServing(environment, () => Promise.resolve());
    linkSync(file, `${file}-link`);
    const messages = () => whileServing(environment, ({ stderr }) => Promise.resolve(stderr()));
    expect(await messages()).to.match(/^warning: .*hard links.*\n$/);
    expect(await asProgramWith(addsColour, messages)).to.match(/^migration: migrating \(900_add_colour\)$/m);
  });
});

describe('The commands of a start', () => {
  needsPrograms('curl');
  afterEach(killServices);

  it('add Rex and show him when they are pasted, in memory', async () => {
    const service = await startService({ DATABASE_URL: 'memory:' });
    const { code, stdout } = await startProgram('sh', ['-c', await service.firstCall()]).ended;
    expect({ code, stdout }).to.deep.equal({
      code: 0,
      stdout: '{"id":1,"name":"Rex","categoryId":7,"status":"available"}\n',
    });
  });
});

const lineFor = (environment: Readonly<Record<string, string>>): string => {
  const settings = decodeSettings(environment);
  if (E.isLeft(settings)) throw new Error(JSON.stringify(settings.left));
  return startLine(settings.right, 'http://127.0.0.1:3000');
};

describe('The line of a start', () => {
  it('names each changed setting with its value, but only the number of keys', () => {
    const shown = {
      CORS_ORIGIN: 'https://a.example,https://b.example',
      DATABASE_URL: 'memory:',
      HOST: '::1',
      LOG_LEVEL: 'debug',
      MAX_CONNECTIONS: '7',
      NODE_ENV: 'production',
      PORT: '0',
      POSTGRES_POOL_SIZE: '9',
      RATE_LIMIT: '100/60s',
      STOP_DELAY: '8',
      TRUST_PROXY: '1',
    };
    const line = lineFor({ ...shown, API_KEYS: 'secret-one,secret-two', SECRET: 'of-another-program' });
    const set = /\(set: (.*)\)$/.exec(line)?.[1]?.split(', ').toSorted();
    expect(set).to.deep.equal([
      'API_KEYS=2 keys',
      ...Object.entries(shown).map(([name, value]) => `${name}=${value}`),
    ]);
  });

  it('shows a PostgreSQL address without its password in every form', () => {
    for (const [address, shown] of [
      ['postgres://me:pass-word@db.example:5432/animals', 'postgres://me@db.example:5432/animals'],
      [
        'postgres://me@db.example/animals?sslmode=require&password=pass-word',
        'postgres://me@db.example/animals',
      ],
      ['postgresql://db.example/animals?user=me&password=pass-word', 'postgres://me@db.example/animals'],
      ['postgres://me:pass-w@rd@db.example/animals', 'postgres://me@db.example/animals'],
    ] as const) {
      const line = lineFor({ DATABASE_URL: address });
      expect(line).to.not.match(/pass-w/);
      expect(line).to.contain(`with its data in ${shown} (set: DATABASE_URL=${shown})`);
    }
  });
});
