import { expect } from 'chai';
import { postgresDatabase, stores } from '../support/databases/databases';
import { eventually } from '../support/eventually';
import { call } from '../support/http/client';
import { execute, withRole } from '../support/postgres/postgres';
import { runInProcess } from '../support/processes/run-in-process';
import { whileServing } from '../support/service/serve-in-process';
import { doctor } from './store/checks/support';

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

  it('counts in each process while PostgreSQL can store no count, and together again after that', async () => {
    const { databaseUrl, remove } = await postgresDatabase();
    const settings = { ...environment, DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn' };
    try {
      await whileServing(settings, async ({ address, stdout }) => {
        const statusOf = async (owner: string) => (await call(`${address}/v1/pets`, { key: owner })).status;
        await execute(
          databaseUrl,
          `create function fail() returns trigger language plpgsql as
             $$ begin raise exception 'disk full' using errcode = '53100'; end $$`,
          'create trigger fail before insert or update on rate_limits for each row execute function fail()',
        );
        const statuses = [await statusOf(key), await statusOf(key), await statusOf(key), await statusOf(key)];
        expect(statuses).to.deep.equal([200, 200, 200, 429]);
        expect(await statusOf(other)).to.equal(200);
        expect(stdout().match(/each instance counts/g), stdout()).to.have.length(1);
        const warningsWith = async (limit: string) =>
          (await doctor({ DATABASE_URL: databaseUrl, RATE_LIMIT: limit })).results.filter(({ text }) =>
            text.endsWith('rate_limits: disk full'),
          );
        expect(await warningsWith('')).to.deep.equal([]);
        expect((await warningsWith('3/60s')).map(({ isWarning }) => isWarning)).to.deep.equal([true]);
        await execute(databaseUrl, 'drop trigger fail on rate_limits');
        await eventually('the database counts again', 20_000, async () => (await statusOf(key)) === 200);
      });
    } finally {
      await remove();
    }
  });

  it('counts in each process if the role lacks the right to store counts, of which doctor warns', async () => {
    const { databaseUrl, remove } = await postgresDatabase();
    try {
      const beforeMigration = await doctor({ DATABASE_URL: databaseUrl, RATE_LIMIT: '3/60s' });
      expect(beforeMigration.text).to.not.include('rate_limits');
      expect((await runInProcess(['migrate'], { DATABASE_URL: databaseUrl })).code).to.equal(0);
      await withRole(databaseUrl, async (address, role) => {
        await execute(
          databaseUrl,
          `grant select, insert, update, delete on all tables in schema public to ${role}`,
          `grant usage, select on all sequences in schema public to ${role}`,
          `revoke insert on rate_limits from ${role}`,
        );
        const settings = { ...environment, DATABASE_URL: address.href };
        const statuses = await whileServing(settings, async (service) => {
          const get = () => call(`${service.address}/v1/pets`, { key });
          const answers = [await get(), await get(), await get(), await get()];
          const ready = await call(`${service.address}/readyz`);
          return [...answers, ready].map(({ status }) => status);
        });
        expect(statuses).to.deep.equal([200, 200, 200, 429, 200]);
        for (const [RATE_LIMIT, warnings] of [
          ['', 0],
          ['3/60s', 1],
        ] as const) {
          const { results } = await doctor({ DATABASE_URL: address.href, RATE_LIMIT });
          expect(results.filter(({ check, ok }) => check === 'rights' && !ok)).to.deep.equal([]);
          expect(
            results.filter(({ text }) => text.endsWith('permission denied for table rate_limits')),
          ).to.have.lengthOf(warnings);
        }
      });
    } finally {
      await remove();
    }
  });
});
