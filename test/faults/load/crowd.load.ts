import { expect } from 'chai';
import { Agent } from 'node:http';
import { killServices, startService } from '../../support/service/service-process';
import { call } from '../../support/http/client';
import { fault, type Figures } from '../support/fault';
import { runClosedLoop } from '../support/load/closed-loop';
import { pidOf } from '../../support/processes/system';
import { sqlStores } from '../../support/databases/databases';

const crowds = [64, 512, 2_000];

/** In seconds. A machine that would let the whole crowd wait for longer is so near to `MAX_WAIT` that some may be refused. */
const longestTurn = 0.5;

const clients = 500;
const createsEach = 3;

const animals = 100;
const rex = '{"name":"Rex","categoryId":7}';

/** With the settings that it has when it is told none, its log and its key in the database among them. */
const startAsShipped = async (databaseUrl: string) => {
  const service = await startService({ DATABASE_URL: databaseUrl });
  return { ...service, key: await service.firstKey() };
};

const waitForPages = async (databaseUrl: string): Promise<Figures> => {
  const service = await startAsShipped(databaseUrl);
  const { address, key } = service;
  for (let animal = 0; animal < animals; animal += 1) {
    await call(`${address}/v1/pets`, { method: 'POST', key, body: rex });
  }
  const requests = [{ target: '/v1/pets', key }];
  const figures: Array<readonly [string, string]> = [];
  const refused: Array<unknown> = [];
  const rates: Array<number> = [];
  for (const connections of crowds) {
    if (rates.length > 0 && connections > longestTurn * Math.max(...rates)) {
      figures.push([`of ${connections}`, 'not asked: this machine is too slow for so many']);
      continue;
    }
    const load = { address, pid: pidOf(service), connections, settle: 1, seconds: 2, requests };
    const { byStatus, cutOff, answersPerSecond } = await runClosedLoop(load);
    const { 200: answered, ...others } = byStatus;
    if (cutOff > 0 || Object.keys(others).length > 0) refused.push({ connections, cutOff, others });
    const rate = answersPerSecond['200'] ?? 0;
    rates.push(rate);
    figures.push([
      `of ${connections}`,
      `${Math.round(rate).toLocaleString('en')} answers a second, p99 ${Math.round(answered?.p99 ?? NaN)} ms`,
    ]);
  }
  expect(refused, `who was not answered: ${JSON.stringify(refused)}`).to.deep.equal([]);
  return Object.fromEntries(figures);
};

const createWithoutRetries = async (databaseUrl: string): Promise<Figures> => {
  const { address, key } = await startAsShipped(databaseUrl);
  const counts = new Map<number, number>();
  let slowest = 0;
  const agents = Array.from({ length: clients }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  // All are connected when the first begins.
  await Promise.all(agents.map((agent) => call(`${address}/livez`, { agent })));
  await Promise.all(
    agents.map(async (agent) => {
      for (let create = 0; create < createsEach; create += 1) {
        const sent = { method: 'POST', key, agent, body: rex } as const;
        const { status, milliseconds } = await call(`${address}/v1/pets`, sent);
        counts.set(status, (counts.get(status) ?? 0) + 1);
        slowest = Math.max(slowest, milliseconds);
      }
      agent.destroy();
    }),
  );
  expect(Object.fromEntries(counts), 'answers').to.deep.equal({ 201: clients * createsEach });
  return { created: clients * createsEach, 'slowest ms': Math.round(slowest) };
};

describe('Promise 4: a crowd that waits for its answers is served', () => {
  afterEach(killServices);

  for (const { name, within } of sqlStores) {
    fault(`${name}: pages of 20, as shipped, for ${crowds.join(', ')} clients in turn`, () =>
      within(({ databaseUrl }) => waitForPages(databaseUrl)),
    );
    fault(`${name}: ${clients} clients that create ${createsEach} animals each and don't try again`, () =>
      within(({ databaseUrl }) => createWithoutRetries(databaseUrl)),
    );
  }
});
