import { expect } from 'chai';
import { sqlStores } from '../../support/databases/databases';
import type { Environment } from '../../support/processes/command';
import { eventually } from '../../support/eventually';
import { allPets, createUnder, isReplay, newPet } from '../../support/http/client';
import { runInProcess } from '../../support/processes/run-in-process';
import { whileServing } from '../../support/service/serve-in-process';

const issued = async (environment: Environment, ...command: ReadonlyArray<string>): Promise<string> => {
  const { stdout, stderr, code } = await runInProcess(['keys', ...command], environment);
  expect(code, stderr).to.equal(0);
  return stdout.trim();
};

const idOf = (key: string): string => key.split('_')[1] ?? '';

describe('The rotation of a key', () => {
  for (const { name, within } of sqlStores) {
    it(`creates no second animal for a retry and rejects no request, on ${name}`, () =>
      within(async ({ databaseUrl }) => {
        const environment = { DATABASE_URL: databaseUrl, API_KEYS: '' };
        expect((await runInProcess(['migrate'], environment)).code).to.equal(0);
        let key = await issued(environment, 'create', '--name=shop');
        const stranger = await issued(environment, 'create', '--name=other');
        await whileServing(environment, async ({ address }) => {
          const create = (name: string, as: string) => createUnder(address, name, newPet(name), as);
          const first = await create('one', key);
          expect(first.status).to.equal(201);
          const statuses: Array<number> = [];
          let clientsStop = false;
          const clients = Array.from({ length: 4 }, async (_, client) => {
            for (let count = 0; !clientsStop; count += 1) {
              statuses.push((await create(`${client}-${count}`, key)).status);
            }
          });
          const old = key;
          const next = await issued(environment, 'rotate', idOf(old), '--grace=2s');
          // During the grace period both keys are valid, so the client can change to the next key.
          key = next;

          const retried = await create('one', next);
          expect(isReplay(retried)).to.equal(true);
          expect(retried.text).to.equal(first.text);
          expect(isReplay(await create('one', stranger))).to.equal(false);
          await eventually(
            'the old key has ended',
            10_000,
            async () => (await create('one', old)).status === 401,
          );
          clientsStop = true;
          await Promise.all(clients);
          expect(new Set(statuses)).to.deep.equal(new Set([201]));
          expect(await allPets({ address, key })).to.have.lengthOf(statuses.length + 2);
        });
      }));
  }
});
