import { expect } from 'chai';
import { killServices, startService } from '../../support/service/service-process';
import { call, createUnder, environmentOf, newPet, owner } from '../../support/http/client';
import { fault } from '../support/fault';
import { inFolder } from '../../support/temporary-folder';

const connections = 64;
const rounds = 9;

/** In milliseconds. */
const roundLasts = 700;

/** What keyed creates may cost at most: their rate over that of creates without keys. */
const leastShare = 0.7;

/** Creates a second while every connection has one in flight. */
const rateOf = async (create: () => Promise<{ readonly status: number }>): Promise<number> => {
  const began = performance.now();
  let created = 0;
  const createOn = async (): Promise<void> => {
    while (performance.now() - began < roundLasts) {
      expect((await create()).status).to.equal(201);
      created += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, createOn));
  return (created * 1000) / (performance.now() - began);
};

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;

describe('Promise 2: idempotency keys cost little', () => {
  afterEach(killServices);

  fault(`SQLite: keyed creates reach ${leastShare} of the rate of others`, () =>
    inFolder(async (folder) => {
      const { address } = await startService(environmentOf(`sqlite:${folder}/animals.sqlite3`));
      let count = 0;
      const keyed = () => createUnder(address, `key ${(count += 1)}`, newPet('Rex'));
      const unkeyed = () => call(`${address}/v1/pets`, { method: 'POST', key: owner, body: newPet('Rex') });
      await rateOf(unkeyed);
      // Each round next to its like: what else the machine does changes from second to second.
      const pairs: Array<{ readonly keyed: number; readonly unkeyed: number }> = [];
      for (let round = 0; round < rounds; round += 1) {
        pairs.push({ keyed: await rateOf(keyed), unkeyed: await rateOf(unkeyed) });
      }
      const share = median(pairs.map((pair) => pair.keyed / pair.unkeyed));
      expect(share, 'keyed over unkeyed').to.be.at.least(leastShare);
      return {
        connections,
        'keyed a second': Math.round(median(pairs.map((pair) => pair.keyed))),
        'unkeyed a second': Math.round(median(pairs.map((pair) => pair.unkeyed))),
        ratio: Math.round(share * 100) / 100,
      };
    }),
  );
});
