import { expect } from 'chai';
import { stores } from '../support/databases/databases';
import { call } from '../support/http/client';
import { whileServing } from '../support/service/serve-in-process';

const [key, other] = ['first-owner', 'second-owner'];

const environment = { API_KEYS: `${key},${other}`, RATE_LIMIT: '3/60s', LOG_LEVEL: 'silent' };

describe('RATE_LIMIT', () => {
  for (const { name, open } of stores) {
    it(`answers 429 to an owner whose requests exceed it, and serves other owners: ${name}`, async () => {
      const { databaseUrl, remove } = await open();
      try {
        await whileServing({ ...environment, DATABASE_URL: databaseUrl }, async ({ address }) => {
          const get = (owner: string) => call(`${address}/v1/pets`, { key: owner });
          const answers = [await get(key), await get(key), await get(key), await get(key)];
          expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 429]);
          expect(
            answers.map(({ headers }) => headers['ratelimit']?.toString().split(';t=')[0]),
          ).to.deep.equal(['"default";r=2', '"default";r=1', '"default";r=0', '"default";r=0']);
          expect(answers[3]?.headers['ratelimit-policy']).to.equal('"default";q=3;w=60');
          expect(Number(answers[3]?.headers['retry-after'])).to.be.within(1, 60);
          expect((await get(other)).status).to.equal(200);
        });
      } finally {
        await remove();
      }
    });
  }

  for (const { name, open } of stores) {
    const isShared = name === 'PostgreSQL';
    it(`is ${isShared ? 'shared by two instances' : 'separate for each instance'}: ${name}`, async () => {
      const { databaseUrl, remove } = await open();
      const settings = { ...environment, DATABASE_URL: databaseUrl };
      try {
        await whileServing(settings, (first) =>
          whileServing(settings, async (second) => {
            const statuses: Array<number> = [];
            for (const { address } of [first, second, first, second])
              statuses.push((await call(`${address}/v1/pets`, { key })).status);
            expect(statuses).to.deep.equal([200, 200, 200, isShared ? 429 : 200]);
          }),
        );
      } finally {
        await remove();
      }
    });
  }
});
