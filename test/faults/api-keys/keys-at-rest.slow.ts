import { expect } from 'chai';
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../support/eventually';
import { type Answer, call } from '../../support/http/client';
import { withOwnPostgres } from '../../support/postgres/postgres-server';
import { runCommand } from '../../support/processes/command';
import { readMetrics } from '../../support/service/read-metrics';
import { killServices, startService } from '../../support/service/service-process';
import { inFolder } from '../../support/temporary-folder';
import { type OwnDatabase, openPostgres, openSqlite } from '../../../adapters/knex';

interface Place {
  readonly databaseUrl: string;
  readonly open: () => OwnDatabase;
  readonly folder: string;
  readonly databaseLog: () => string;
}

/** Returns byte sequences that would reveal a key: the key, parts of its random part, and their decoded bits. */
const tracesOf = (key: string): ReadonlyArray<Buffer> => {
  const secret = key.slice(-43);
  const bits = Buffer.from(secret, 'base64url');
  const texts = [
    ...(secret.match(/.{10}/g) ?? []),
    ...[Buffer.from(key).toString('base64'), bits.toString('base64'), bits.toString('hex')],
  ];
  return [...texts.map((text) => Buffer.from(text)), Buffer.from(secret, 'utf16le'), bits];
};

/** Returns the hash of a key, which only a database may keep. */
const hashOf = (key: string): string => hash('sha256', key);

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({ name, bytes: readFileSync(join(parentPath, name)) }));

const issue = async (environment: Readonly<Record<string, string>>, name: string) => {
  const { stdout } = await runCommand(['keys', 'create', `--name=${name}`], environment);
  return stdout.trim();
};

const similar = (key: string): string => `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`;

/** Sends a key in every place, except where a client fills in what the service is to store or to log. */
const sendEverywhere = async (address: string, key: string): Promise<ReadonlyArray<Answer>> => {
  const pets = `${address}/v1/pets`;
  const pet = { method: 'POST', key, body: '{"name":"Rex","categoryId":7}' } as const;
  return Promise.all([
    call(pets, { key }),
    call(pets, pet),
    call(`${pets}/0`, { key }),
    call(pets, { key: similar(key) }),
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

const searchKeys = async ({ databaseUrl, open, folder, databaseLog }: Place): Promise<void> => {
  const environment = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'trace', ADMIN_PORT: '0' };
  const service = await startService(environment);
  const { address } = service;
  const firstKey = await service.firstKey();
  const keys = [firstKey, await issue(environment, 'shop'), await issue(environment, 'lost')];
  const answers: Array<Answer> = [];
  for (const key of keys) answers.push(...(await sendEverywhere(address, key)));
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

  const kept = filesIn(folder);
  const { stdout, stderr } = await service.stop();
  kept.push(...filesIn(folder));
  const told = { answers: JSON.stringify([...answers, ...broken]), 'standard output': stdout, metrics };
  const written = {
    ...told,
    // The first key is printed once for the operator, and in the call to try.
    'standard error': stderr.replaceAll(firstKey, ''),
    'the log of the database server': databaseLog(),
  };
  for (const key of keys) {
    const traces = tracesOf(key);
    const all = [
      ...kept,
      ...Object.entries(written).map(([name, text]) => ({ name, bytes: Buffer.from(text) })),
    ];
    const found = all.filter(({ bytes }) => traces.some((trace) => bytes.includes(trace)));
    expect(
      found.map(({ name }) => name),
      'where a key is found',
    ).to.deep.equal([]);
    expect(
      kept.some(({ bytes }) => bytes.includes(hashOf(key))),
      'its hash is kept',
    ).to.equal(true);
    for (const text of Object.values(told)) expect(text, 'its hash is told').not.to.include(hashOf(key));
  }
};

describe('API keys', () => {
  afterEach(killServices);

  it('leave only their hash on the disk, and nothing elsewhere, on SQLite', () =>
    inFolder((folder) => {
      const file = `${folder}/animals.sqlite3`;
      return searchKeys({
        databaseUrl: `sqlite:${file}`,
        open: () => openSqlite(file),
        folder,
        databaseLog: () => '',
      });
    }));

  it('leave only their hash on the disk, and nothing elsewhere, on PostgreSQL that logs each statement', () =>
    withOwnPostgres(async ({ url, folder, log }) => {
      const open = (): OwnDatabase => openPostgres(url, { poolSize: 2, statementTimeoutMs: 3_000 });
      const { writes, close } = open();
      await writes.raw("alter system set log_statement = 'all'");
      await writes.raw('select pg_reload_conf()');
      await close();
      await searchKeys({ databaseUrl: url, open, folder, databaseLog: log });
      expect(log(), 'the statements of the service are logged').to.include('"api_keys"');
    }));
});
