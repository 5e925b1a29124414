import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { killServices, startService } from '../../support/service/service-process';
import { createPet } from '../../support/http/client';
import { fault, type Figures } from '../support/fault';
import { runClosedLoop } from '../support/load/closed-loop';
import type { LoadRequest } from '../support/load/load-request';
import { median } from '../support/measures/percentile';
import { pidOf } from '../../support/processes/system';
import { sqlStores } from '../../support/databases/databases';

const rounds = 5;
const wrongKeys = 1_000;

/** Keys with the id of a good one and another secret. */
const forge = (key: string): ReadonlyArray<string> =>
  Array.from({ length: wrongKeys }, () => key.slice(0, -16) + randomBytes(8).toString('hex'));

const flood = async (databaseUrl: string): Promise<Figures> => {
  const service = await startService({ DATABASE_URL: databaseUrl });
  const key = await service.firstKey();
  expect((await createPet({ ...service, key }, '{"name":"Rex","categoryId":7}')).status).to.equal(201);
  const cost = async (requests: ReadonlyArray<LoadRequest>, expected: string): Promise<number> => {
    const { address } = service;
    const load = { address, pid: pidOf(service), connections: 64, settle: 0.5, seconds: 1.5, requests };
    const { byStatus, processorSeconds } = await runClosedLoop(load);
    expect(Object.keys(byStatus)).to.deep.equal([expected]);
    return (1e6 * processorSeconds) / (byStatus[expected]?.count ?? 0);
  };
  const target = '/v1/pets/1';
  const good: Array<number> = [];
  const wrong: Array<number> = [];
  const forged = forge(key).map((each) => ({ target, key: each }));
  for (let round = 0; round < rounds; round += 1) {
    good.push(await cost([{ target, key }], '200'));
    wrong.push(await cost(forged, '401'));
  }
  expect(median(wrong), 'µs of a wrong key').to.be.below(median(good));
  return { 'good request µs': Math.round(median(good)), 'wrong key µs': Math.round(median(wrong)) };
};

describe('Promise 5: wrong keys cost less than good requests', () => {
  afterEach(killServices);

  for (const { name, within } of sqlStores) {
    fault(`${name}: a flood of forged keys`, () => within(({ databaseUrl }) => flood(databaseUrl)));
  }
});
