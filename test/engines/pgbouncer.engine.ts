import { expect } from 'chai';
import { postgresStore } from '../support/databases/databases';
import { type Answer, idOf, roundRobin } from '../support/http/client';
import { execute, inPostgresDatabase } from '../support/postgres/postgres';
import { startServices } from '../support/service/service-process';
import { diagnose } from '../../app/commands/doctor';
import type { Finding } from '../../app/store/checks/finding';

const key = 'pooled-key';
const clients = 32;
const rounds = 20;

type Send = ReturnType<typeof roundRobin>;

/** Retries while the service is too busy, as it may be on a machine that runs tests. */
const patiently =
  (send: Send): Send =>
  async (path, options) => {
    const answer = await send(path, options);
    return answer.status === 503 ? patiently(send)(path, options) : answer;
  };

const useService = async (send: Send, client: number): Promise<ReadonlyArray<Answer>> => {
  const answers: Array<Answer> = [];
  for (let round = 0; round < rounds; round += 1) {
    const create = {
      method: 'POST' as const,
      key,
      body: `{"name":"${client} ${round}","categoryId":${round},"status":"sold"}`,
    };
    const headers = { 'Idempotency-Key': `"${client}-${round}"` };
    const plain = await send('/v1/pets', create);
    const keyed = await send('/v1/pets', { ...create, headers });
    const retried = await send('/v1/pets', { ...create, headers });
    answers.push(
      plain,
      keyed,
      retried,
      await send(`/v1/pets/${idOf(plain.text)}`, { key }),
      await send(`/v1/pets?limit=${1 + (client % 5)}`, { key }),
      await send(`/v1/pets?status=sold&after=${client}`, { key }),
    );
    expect(retried.text).to.equal(keyed.text);
  }
  return answers;
};

const serverFindings = async (url: string): Promise<ReadonlyArray<Finding>> => {
  const environment = { PORT: '0', DATABASE_URL: url, API_KEYS: key, POSTGRES_POOL_SIZE: '1000' };
  return (await diagnose(environment)).filter(({ check }) => check === 'server');
};

const useByMany = async (url: string): Promise<void> => {
  const services = await startServices(3, url, { API_KEYS: key, LOG_LEVEL: 'warn' });
  const send = patiently(roundRobin(services.map(({ address }) => address)));
  const answers = await Promise.all(Array.from({ length: clients }, (_, client) => useService(send, client)));
  const failed = answers.flat().filter(({ status }) => status !== 200 && status !== 201);
  expect(failed.map(({ status, text }) => `${status} ${text}`)).to.deep.equal([]);
  expect(services.map(({ stdout }) => stdout()).join('')).not.to.contain('prepared statement');
};

/** Returns the number of statements that the pooler has prepared on one connection to the server. */
const preparedBehind = async (url: string): Promise<number> => {
  const { readPool, close } = postgresStore(url).open();
  try {
    const { rows } = await readPool.raw<{ readonly rows: ReadonlyArray<unknown> }>(
      "select name from pg_prepared_statements where name like 'PGBOUNCER%'",
    );
    return rows.length;
  } finally {
    await close();
  }
};

/** Returns whether the first statement of a new pool finds the table of animals. */
const findsPets = async (url: string): Promise<boolean> => {
  const { statements, readPool, close } = postgresStore(url).open();
  try {
    return (await statements.readColumns(readPool, ['pets'])).length > 0;
  } finally {
    await close();
  }
};

describe('PgBouncer in transaction mode', () => {
  it(`serves ${clients} clients of three instances without settings, and mixes no prepared statements`, () =>
    inPostgresDatabase(async (url) => {
      await useByMany(url);
      expect(await preparedBehind(url)).to.equal(0);
    }));

  it('serves although another client has left an empty search path on its sessions', () =>
    inPostgresDatabase(async (url) => {
      const [service] = await startServices(1, url, {
        API_KEYS: key,
        LOG_LEVEL: 'warn',
        RATE_LIMIT: '9999/60s',
      });
      const send = patiently(roundRobin([service?.address ?? '']));
      for (let session = 0; session < 10; session += 1) {
        await execute(url, "set search_path = ''");
        const answers = await useService(send, session);
        expect(answers.filter(({ status }) => status >= 400)).to.deep.equal([]);
        expect((await send('/readyz', {})).status).to.equal(200);
      }
      await execute(url, "set search_path = ''");
      expect(await findsPets(url)).to.equal(true);
      await execute(url, "set search_path = ''");
      const [later] = await startServices(1, url, { API_KEYS: key, LOG_LEVEL: 'warn' });
      const answers = await useService(patiently(roundRobin([later?.address ?? ''])), 10);
      expect(answers.filter(({ status }) => status >= 400)).to.deep.equal([]);
      const results = await diagnose({ PORT: '0', DATABASE_URL: url, API_KEYS: key });
      expect(
        results.filter(({ check, severity }) => severity === 'failed' && check !== 'server'),
      ).to.deep.equal([]);
    }));

  it('gets no limits from the service: doctor reports which of its role are missing, and how to set them', () =>
    inPostgresDatabase(async (url) => {
      const name = new URL(url).pathname.slice(1);
      const server = process.env['TEST_POSTGRES_URL'] ?? '';
      await execute(server, `alter role current_user in database ${name} set lock_timeout = 0`);
      const [limits, ...others] = await serverFindings(url);
      expect(others, 'warnings about max_connections').to.deep.equal([]);
      expect(limits?.severity).to.equal('failed');
      expect(limits?.text)
        .to.match(/idle_in_transaction_session_timeout=10000, lock_timeout=0, statement_timeout=3000/)
        .and.match(/run: alter role current_user set lock_timeout = '1000ms'$/);
    }));
});
