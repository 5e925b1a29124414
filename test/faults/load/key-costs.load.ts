import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { sqlStores } from '../../support/databases/databases';
import { call, createPet, createUnder, environmentOf, newPet, owner } from '../../support/http/client';
import { pidOf } from '../../support/processes/system';
import { killServices, startService } from '../../support/service/service-process';
import { inFolder } from '../../support/temporary-folder';
import { type LoadRequest, runClosedLoop } from '../support/load';
import { median } from '../support/measures';

const connections = 64;

const leastShare = 0.7;

const speedRounds = 9;
const roundMs = 700;

const rateOf = async (create: () => Promise<{ readonly status: number }>): Promise<number> => {
  const began = performance.now();
  let created = 0;
  const createOn = async (): Promise<void> => {
    while (performance.now() - began < roundMs) {
      expect((await create()).status).to.equal(201);
      created += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, createOn));
  return (created * 1000) / (performance.now() - began);
};

const compareSpeed = async (folder: string): Promise<void> => {
  const { address } = await startService(environmentOf(`sqlite:${folder}/animals.sqlite3`));
  let count = 0;
  const keyed = () => createUnder(address, `key ${(count += 1)}`, newPet('Rex'));
  const unkeyed = () => call(`${address}/v1/pets`, { method: 'POST', key: owner, body: newPet('Rex') });
  await rateOf(unkeyed);
  // Rates are compared within a round: other work of the machine changes from second to second.
  const shares: Array<number> = [];
  for (let round = 0; round < speedRounds; round += 1) {
    shares.push((await rateOf(keyed)) / (await rateOf(unkeyed)));
  }
  expect(median(shares), 'keyed over unkeyed').to.be.at.least(leastShare);
};

const costRounds = 5;
const wrongKeys = 1_000;

const forge = (key: string): ReadonlyArray<string> =>
  Array.from({ length: wrongKeys }, () => key.slice(0, -16) + randomBytes(8).toString('hex'));

const compareCost = async (databaseUrl: string): Promise<void> => {
  const service = await startService({ DATABASE_URL: databaseUrl });
  const key = await service.firstKey();
  expect((await createPet({ ...service, key }, '{"name":"Rex","categoryId":7}')).status).to.equal(201);
  /** Returns the processor time of a request in microseconds. */
  const cost = async (requests: ReadonlyArray<LoadRequest>, expected: string): Promise<number> => {
    const { address } = service;
    const times = { settleSeconds: 0.5, countedSeconds: 1.5 };
    const load = { address, pid: pidOf(service), connections, ...times, requests };
    const { byStatus, processorSeconds } = await runClosedLoop(load);
    expect(Object.keys(byStatus)).to.deep.equal([expected]);
    return (1e6 * processorSeconds) / (byStatus[expected]?.count ?? 0);
  };
  const target = '/v1/pets/1';
  const good: Array<number> = [];
  const wrong: Array<number> = [];
  const forged = forge(key).map((each) => ({ target, key: each }));
  for (let round = 0; round < costRounds; round += 1) {
    good.push(await cost([{ target, key }], '200'));
    wrong.push(await cost(forged, '401'));
  }
  expect(median(wrong), 'µs of a wrong key').to.be.below(median(good));
};

describe('Keyed creates', () => {
  afterEach(killServices);

  it(`reach ${leastShare} of the rate of other creates, on SQLite`, () => inFolder(compareSpeed));
});

describe('Requests with forged keys', () => {
  afterEach(killServices);

  for (const { name, within } of sqlStores) {
    it(`cost less than good requests, on ${name}`, () =>
      within(({ databaseUrl }) => compareCost(databaseUrl)));
  }
});
