import { expect } from 'chai';
import { type Database, openPostgres, openSqlite } from '../../../adapters/knex';
import { runCommand } from '../../support/processes/command';
import { eventually } from '../../support/eventually';
import { readMetrics } from '../../support/service/read-metrics';
import { killServices, startService } from '../../support/service/service-process';
import { type Answer, call } from '../../support/http/client';
import { fault, type Figures } from '../support/fault';
import { inFolder } from '../../support/temporary-folder';
import { digestOf, filesIn, tracesOf } from '../support/checks/key-traces';
import { withOwnPostgres } from '../../support/postgres/postgres-server';

interface Place {
  readonly databaseUrl: string;
  readonly open: () => Database;
  /** Holds all that the database keeps. */
  readonly folder: string;
  /** What the database server has written for its operator. */
  readonly databaseLog: () => string;
}

const issue = async (environment: Readonly<Record<string, string>>, name: string) => {
  const { stdout } = await runCommand(['keys', 'create', `--name=${name}`], environment);
  return stdout.trim();
};

const near = (key: string): string => `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`;

/** Shows a key in every place but those that a client fills with what the service is to keep or to log. */
const show = async (address: string, key: string): Promise<ReadonlyArray<Answer>> => {
  const pets = `${address}/v1/pets`;
  const pet = { method: 'POST', key, body: '{"name":"Rex","categoryId":7}' } as const;
  return Promise.all([
    call(pets, { key }),
    call(pets, pet),
    call(`${pets}/0`, { key }),
    call(pets, { key: near(key) }),
    call(pets, { key: `${key}x` }),
    call(pets, { headers: { Authorization: `Basic ${Buffer.from(key).toString('base64')}` } }),
    ...['limit', 'after', 'status', 'key'].map((name) => call(`${pets}?${name}=${key}`, { key })),
    ...['Cookie', 'Origin', 'User-Agent', 'Referer', 'traceparent', 'If-None-Match'].map((name) =>
      call(pets, { key, headers: { [name]: key } }),
    ),
    ...['{', key, `{"${key}":1}`, `{"name":7,"categoryId":"${key}","status":"${key}"}`].map((body) =>
      call(pets, { ...pet, body }),
    ),
    call(pets, { ...pet, headers: { 'Idempotency-Key': `"${key}` } }),
    call(pets, { ...pet, headers: { 'Content-Type': key } }),
    call(pets, { ...pet, headers: { 'Content-Encoding': key } }),
  ]);
};

const keepKeys = async ({ databaseUrl, open, folder, databaseLog }: Place): Promise<Figures> => {
  const environment = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'trace', ADMIN_PORT: '0' };
  const service = await startService(environment);
  const { address } = service;
  const firstKey = await service.firstKey();
  const keys = [firstKey, await issue(environment, 'shop'), await issue(environment, 'lost')];
  const answers: Array<Answer> = [];
  for (const key of keys) answers.push(...(await show(address, key)));
  expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200, 201, 400, 401, 404, 415]));

  const { writes, close } = open();
  await writes.schema.renameTable('api_keys', 'hidden_keys');
  const broken: Array<Answer> = [];
  await eventually('keys can not be looked up', 10_000, async () => {
    const asked = await Promise.all(keys.map((key) => call(`${address}/v1/pets`, { key })));
    broken.push(...asked);
    return asked.every(({ status }) => status === 503);
  });
  await writes.schema.renameTable('hidden_keys', 'api_keys');
  await close();
  const lost = keys.at(-1) ?? '';
  expect((await runCommand(['keys', 'revoke', lost.split('_')[1] ?? ''], environment)).code).to.equal(0);
  const metrics = JSON.stringify([...(await readMetrics(service))]);

  const serving = filesIn(folder);
  const { stdout, stderr } = await service.stop();
  const told = {
    answers: JSON.stringify([...answers, ...broken]),
    'standard output': stdout,
    // It shows the first key once: to be pasted, and in the call to try.
    'standard error': stderr.replaceAll(firstKey, ''),
    metrics,
    'the log of the database server': databaseLog(),
  };
  const kept = new Map([
    ...serving,
    ...[...filesIn(folder)].map(([path, bytes]) => [`${path}, stopped`, bytes] as const),
  ]);
  const all = new Map([
    ...kept,
    ...Object.entries(told).map(([name, text]) => [name, Buffer.from(text)] as const),
  ]);
  for (const key of keys) {
    const traces = tracesOf(key);
    const found = [...all].filter(([, bytes]) => traces.some((trace) => bytes.includes(trace)));
    expect(
      found.map(([name]) => name),
      'where a key is found',
    ).to.deep.equal([]);
    expect(
      [...kept.values()].some((bytes) => bytes.includes(digestOf(key))),
      'its hash is kept',
    ).to.equal(true);
    for (const text of [told.answers, told['standard output'], metrics]) {
      expect(text.includes(digestOf(key)), 'its hash is told').to.equal(false);
    }
  }
  const searched = [...all.values()].reduce((sum, { length }) => sum + length, 0);
  return { keys: keys.length, answers: answers.length + broken.length, 'bytes searched': searched, found: 0 };
};

describe('Promise 8: of a key only its hash is at rest, and none is told', () => {
  afterEach(killServices);

  fault('every byte on the disk, and all that is told, on SQLite', () =>
    inFolder((folder) => {
      const file = `${folder}/animals.sqlite3`;
      return keepKeys({
        databaseUrl: `sqlite:${file}`,
        open: () => openSqlite(file),
        folder,
        databaseLog: () => '',
      });
    }),
  );

  fault('every byte on the disk, and all that is told, on PostgreSQL that logs each statement', () =>
    withOwnPostgres(async ({ url, folder, log }) => {
      const open = (): Database => openPostgres(url, { poolSize: 2, statementTimeoutMs: 3_000 });
      const { writes, close } = open();
      await writes.raw("alter system set log_statement = 'all'");
      await writes.raw('select pg_reload_conf()');
      await close();
      const figures = await keepKeys({ databaseUrl: url, open, folder, databaseLog: log });
      expect(log(), 'the statements of the service are logged').to.include('"api_keys"');
      return figures;
    }),
  );
});
