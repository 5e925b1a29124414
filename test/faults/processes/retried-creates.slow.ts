import { expect } from 'chai';
import { eventually } from '../../support/eventually';
import { allPets, createUnder, environmentOf, isReplay, newPet, owner } from '../../support/http/client';
import { throughProxy } from '../../support/postgres/freezing-proxy';
import { inPostgresDatabase } from '../../support/postgres/postgres';
import { pidOf } from '../../support/processes/system';
import { killServices, startService } from '../../support/service/service-process';
import { inFolder } from '../../support/temporary-folder';
import { attachStrace, detachAll, fault } from '../support/machine';

const rex = newPet('Rex');

/** Fails unless a retry after a restart gets the response that was lost in the kill. */
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
