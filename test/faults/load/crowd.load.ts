import { expect } from 'chai';
import { Agent } from 'node:http';
import { sqlStores } from '../../support/databases/databases';
import { call } from '../../support/http/client';
import { pidOf } from '../../support/processes/system';
import { killServices, startService } from '../../support/service/service-process';
import { runClosedLoop } from '../support/load';

const crowds = [64, 512, 2_000];

/** Time in which a crowd is served once. On a slower machine, the deadline is too near. */
const longestTurnSeconds = 0.5;

const clients = 500;
const createsEach = 3;

const animals = 100;
const rex = '{"name":"Rex","categoryId":7}';

/** Starts a service with default settings: it has a log, and its key is in the database. */
const startAsShipped = async (databaseUrl: string) => {
  const service = await startService({ DATABASE_URL: databaseUrl });
  return { ...service, key: await service.firstKey() };
};

const waitForPages = async (databaseUrl: string): Promise<void> => {
  const service = await startAsShipped(databaseUrl);
  const { address, key } = service;
  for (let animal = 0; animal < animals; animal += 1) {
    await call(`${address}/v1/pets`, { method: 'POST', key, body: rex });
  }
  const requests = [{ target: '/v1/pets', key }];
  const refused: Array<unknown> = [];
  const rates: Array<number> = [];
  for (const connections of crowds) {
    // A slow machine serves the larger crowds too late.
    if (rates.length > 0 && connections > longestTurnSeconds * Math.max(...rates)) continue;
    const load = { address, pid: pidOf(service), connections, settleSeconds: 1, countedSeconds: 2, requests };
    const { byStatus, cutOff, answersPerSecond } = await runClosedLoop(load);
    const statuses = Object.keys(byStatus);
    if (cutOff > 0 || statuses.join() !== '200') refused.push({ connections, cutOff, statuses });
    rates.push(answersPerSecond['200'] ?? 0);
  }
  expect(refused, `not answered: ${JSON.stringify(refused)}`).to.deep.equal([]);
};

const createWithoutRetries = async (databaseUrl: string): Promise<void> => {
  const { address, key } = await startAsShipped(databaseUrl);
  const counts = new Map<number, number>();
  const agents = Array.from({ length: clients }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  await Promise.all(agents.map((agent) => call(`${address}/livez`, { agent })));
  await Promise.all(
    agents.map(async (agent) => {
      for (let create = 0; create < createsEach; create += 1) {
        const sent = { method: 'POST', key, agent, body: rex } as const;
        const { status } = await call(`${address}/v1/pets`, sent);
        counts.set(status, (counts.get(status) ?? 0) + 1);
      }
      agent.destroy();
    }),
  );
  expect(Object.fromEntries(counts), 'answers').to.deep.equal({ 201: clients * createsEach });
};

describe('A crowd of clients', () => {
  afterEach(killServices);

  for (const { name, within } of sqlStores) {
    it(`gets pages of 20 with default settings, ${crowds.join(', ')} clients in turn, on ${name}`, () =>
      within(({ databaseUrl }) => waitForPages(databaseUrl)));
    it(`creates ${createsEach} animals each without a retry, ${clients} clients, on ${name}`, () =>
      within(({ databaseUrl }) => createWithoutRetries(databaseUrl)));
  }
});
