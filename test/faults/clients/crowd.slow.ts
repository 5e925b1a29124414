import { expect } from 'chai';
import { Agent } from 'node:http';
import { sqlStores } from '../../support/databases/databases';
import { call, newPet } from '../../support/http/client';
import { killServices, startService } from '../../support/service/service-process';

const animals = 100;

/** Number of clients with a connection each, and of the requests that each sends in turn. */
const crowds = {
  list: { clients: 2_000, requestsEach: 3, status: 200 },
  create: { clients: 500, requestsEach: 3, status: 201 },
} as const;

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

  const { clients, requestsEach, status: expected } = crowds[operation];
  const agents = await openConnections(service.address, clients);
  const answers = new Map<number, number>();
  await Promise.all(
    agents.map(async (agent) => {
      for (let sent = 0; sent < requestsEach; sent += 1) {
        const { status } = await call(pets, { ...(operation === 'list' ? { key } : create), agent });
        answers.set(status, (answers.get(status) ?? 0) + 1);
      }
      agent.destroy();
    }),
  );
  expect(Object.fromEntries(answers)).to.deep.equal({ [expected]: clients * requestsEach });
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
