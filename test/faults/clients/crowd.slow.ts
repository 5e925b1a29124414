import { expect } from 'chai';
import { Agent } from 'node:http';
import { sqlStores } from '../../support/databases/databases';
import { call, newPet } from '../../support/http/client';
import { killServices, startService } from '../../support/service/service-process';

const animals = 100;

/** Maximum number of clients, each with a connection, and the expected status of their answers. */
const crowds = {
  list: { clients: 2_000, expected: 200 },
  create: { clients: 500, expected: 201 },
} as const;

const few = 64;
const requestsEach = 3;

/**
 * Time in which the service must be able to answer each client once. The size of the crowd follows from the speed of
 * the machine, because answers on a slow machine would otherwise come near the deadline.
 */
const turnSeconds = 0.5;

/** Number of connections to open at once, fewer than the accept backlog of the server. */
const openedAtOnce = 250;

const openConnections = async (address: string, count: number): Promise<ReadonlyArray<Agent>> => {
  const agents = Array.from({ length: count }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  for (let opened = 0; opened < count; opened += openedAtOnce) {
    const some = agents.slice(opened, opened + openedAtOnce);
    await Promise.all(some.map((agent) => call(`${address}/livez`, { agent })));
  }
  return agents;
};

/** Serves a crowd with default settings: the service has a log, and its key is in the database. */
const serveCrowd = async (operation: keyof typeof crowds, databaseUrl: string): Promise<void> => {
  const service = await startService({ DATABASE_URL: databaseUrl });
  const pets = `${service.address}/v1/pets`;
  const key = await service.firstKey();
  const create = { method: 'POST', key, body: newPet('Rex') } as const;
  await Promise.all(Array.from({ length: animals }, () => call(pets, create)));

  const { clients, expected } = crowds[operation];
  const agents = await openConnections(service.address, clients);
  const answers = new Map<number, number>();
  const ask = async (agent: Agent): Promise<void> => {
    for (let sent = 0; sent < requestsEach; sent += 1) {
      const { status } = await call(pets, { ...(operation === 'list' ? { key } : create), agent });
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
  };
  const began = performance.now();
  await Promise.all(agents.slice(0, few).map(ask));
  const perSecond = (1_000 * few * requestsEach) / (performance.now() - began);
  const crowd = agents.slice(0, Math.max(few, Math.floor(turnSeconds * perSecond)));
  await Promise.all(crowd.map(ask));
  for (const agent of agents) agent.destroy();
  expect(Object.fromEntries(answers)).to.deep.equal({ [expected]: (few + crowd.length) * requestsEach });
};

describe('A crowd of clients, whose requests wait for each other', () => {
  afterEach(killServices);

  for (const { name, within } of sqlStores) {
    for (const operation of ['list', 'create'] as const) {
      it(`gets an answer to each ${operation} without a retry, on ${name}`, () =>
        within(({ databaseUrl }) => serveCrowd(operation, databaseUrl)));
    }
  }
});
