import { expect } from 'chai';
import { sqlStores } from '../../support/databases/databases';
import type { Environment } from '../../support/processes/command';
import { eventually } from '../../support/eventually';
import { allPets } from '../../support/http/client';
import { runInProcess } from '../../support/processes/run-in-process';
import { killServices, startService } from '../../support/service/service-process';

const issued = async (environment: Environment, ...command: ReadonlyArray<string>): Promise<string> => {
  const { stdout, stderr, code } = await runInProcess(['keys', ...command], environment);
  expect(code, stderr).to.equal(0);
  return stdout.trim();
};

const idOf = (key: string): string => key.split('_')[1] ?? '';

/** What a client sends again until there is an answer: the same animal under the same idempotency key. */
const create = (address: string, key: string, idempotencyKey: string): Promise<Response> =>
  fetch(`${address}/v1/pets`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': idempotencyKey,
    },
    body: JSON.stringify({ name: idempotencyKey, categoryId: 1 }),
  });

describe('The rotation of a key', () => {
  afterEach(killServices);

  for (const { name, within } of sqlStores) {
    it(`creates no second animal for a retry and rejects no request, on ${name}`, () =>
      within(async ({ databaseUrl }) => {
        const environment = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' };
        expect((await runInProcess(['migrate'], environment)).code).to.equal(0);
        let key = await issued(environment, 'create', '--name=shop');
        const stranger = await issued(environment, 'create', '--name=other');
        const { address } = await startService(environment);

        const first = await create(address, key, 'one');
        expect(first.status).to.equal(201);
        const statuses: Array<number> = [];
        let clientsStop = false;
        const clients = Array.from({ length: 4 }, async (_, client) => {
          for (let count = 0; !clientsStop; count += 1) {
            statuses.push((await create(address, key, `${client}-${count}`)).status);
          }
        });
        const old = key;
        const next = await issued(environment, 'rotate', idOf(old), '--grace=2s');
        // Both keys are good: the client changes to the next one when it gets it.
        key = next;

        const retried = await create(address, next, 'one');
        expect(retried.headers.get('Idempotent-Replayed')).to.equal('true');
        expect(await retried.text()).to.equal(await first.text());
        const others = await create(address, stranger, 'one');
        expect(others.headers.get('Idempotent-Replayed')).to.equal(null);
        await others.text();
        await eventually('the old key has ended', 10_000, async () => {
          const { status } = await create(address, old, 'one');
          return status === 401;
        });
        clientsStop = true;
        await Promise.all(clients);
        expect(new Set(statuses)).to.deep.equal(new Set([201]));
        expect(await allPets({ address, key })).to.have.lengthOf(statuses.length + 2);
      }));
  }
});
