import { expect } from 'chai';
import { sqlStores } from '../../support/databases/databases';
import { eventually } from '../../support/eventually';
import {
  allPets,
  type Answer,
  createUnder,
  environmentOf,
  isReplay,
  newPet,
  owner,
} from '../../support/http/client';
import { throughProxy } from '../../support/postgres/freezing-proxy';
import { inPostgresDatabase } from '../../support/postgres/postgres';
import { pidOf } from '../../support/processes/system';
import { killServices, startService } from '../../support/service/service-process';
import { inFolder } from '../../support/temporary-folder';
import { attachStrace, detachAll, fault } from '../support/machine';

const rex = newPet('Rex');

const expectReplay = (answer: Answer, first: Answer): void => {
  expect([answer.status, answer.text, isReplay(answer)]).to.deep.equal([201, first.text, true]);
};

const expectFirst = (answer: Answer): Answer => {
  expect([answer.status, isReplay(answer)], answer.text).to.deep.equal([201, false]);
  return answer;
};

for (const { name, within } of sqlStores) {
  describe(`A retried create on ${name}`, () => {
    afterEach(killServices);

    it('is a 409 while the first request waits for a lock, then a replay', () =>
      within(async ({ databaseUrl, holdWriters }) => {
        const { address } = await startService(environmentOf(databaseUrl));
        const release = await holdWriters();
        let isAnswered = false;
        const first = createUnder(address, 'slow', rex).finally(() => (isAnswered = true));
        // Either may come first. The first response goes to the other.
        const second = createUnder(address, 'slow', rex).finally(() => (isAnswered = true));
        await eventually('one of the two is refused', 20_000, () => isAnswered);
        await release();
        const answers = await Promise.all([first, second]);
        const refused = answers.filter(({ status }) => status === 409);
        expect(refused.map(({ text }) => text)).to.deep.equal([
          '{"code":"idempotency_key_in_flight","message":"a request with this Idempotency-Key is still in progress; try again","status":409}',
        ]);
        const made = answers.filter(({ status }) => status === 201).map(expectFirst);
        expect(made).to.have.length(1);
        for (const answer of made) expectReplay(await createUnder(address, 'slow', rex), answer);
        expect(await allPets({ address, key: owner })).to.have.length(1);
      }));
  });
}

/** Fails unless a retry after a restart gets the first response, which was never received. */
const expectOneAnimal = async (databaseUrl: string): Promise<void> => {
  const { address } = await startService(environmentOf(databaseUrl));
  const stored = await allPets({ address, key: owner });
  expect(stored, 'stored before the retry').to.have.length(1);
  const retry = await createUnder(address, 'lost', rex);
  expect([retry.status, retry.text, isReplay(retry)]).to.deep.equal([201, stored[0], true]);
  expect(await allPets({ address, key: owner })).to.deep.equal(stored);
};

/**
 * Kills the service while a create waits for its response. `cut` holds the response back, and returns a function that
 * waits until the create is stored.
 */
const killBeforeAnswer = async (databaseUrl: string, cut: (pid: number) => Promise<() => Promise<void>>) => {
  const service = await startService(environmentOf(databaseUrl));
  const untilCut = await cut(pidOf(service));
  const answer = createUnder(service.address, 'lost', rex).catch(() => undefined);
  await untilCut();
  service.signal('SIGKILL');
  await detachAll();
  await service.ended;
  expect(await answer, 'the response').to.equal(undefined);
};

describe('A create that is stored and not acknowledged', () => {
  afterEach(detachAll);
  afterEach(killServices);

  fault(
    'is made once after kill -9 between the sync of its commit and the response, on SQLite',
    () =>
      inFolder(async (folder) => {
        const databaseUrl = `sqlite:${folder}/animals.sqlite3`;
        await killBeforeAnswer(databaseUrl, async (pid) => {
          const syncs = 'fsync,fdatasync';
          const options = ['-e', `trace=${syncs}`, '-e', `inject=${syncs}:delay_exit=60000000`];
          const { output } = await attachStrace([pid], options, `${folder}/trace`);
          return () =>
            eventually('the commit is synced', 20_000, async () =>
              (await output()).includes('= 0 (DELAYED)'),
            );
        });
        await expectOneAnimal(databaseUrl);
      }),
    'strace',
  );

  it('is made once after kill -9 while the reply to COMMIT never arrives, on PostgreSQL', () =>
    inPostgresDatabase((direct) =>
      throughProxy(direct, async (databaseUrl, { isMute, muteAt }) => {
        await killBeforeAnswer(databaseUrl, () => {
          muteAt(/COMMIT/);
          return Promise.resolve(() => eventually('COMMIT is sent', 20_000, isMute));
        });
        await expectOneAnimal(direct);
      }),
    ));

  it('is a 503 while the reply to COMMIT never arrives, and made once, on PostgreSQL', () =>
    inPostgresDatabase((direct) =>
      throughProxy(direct, async (databaseUrl, { muteAt }) => {
        const { address } = await startService(environmentOf(databaseUrl));
        muteAt(/COMMIT/);
        expect((await createUnder(address, 'lost', rex)).status).to.equal(503);
        await expectOneAnimal(direct);
      }),
    ));
});
