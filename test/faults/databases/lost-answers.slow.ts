import { expect } from 'chai';
import { fault, type Figures } from '../support/fault';
import { throughProxy } from '../../support/postgres/freezing-proxy';
import { inFolder } from '../../support/temporary-folder';
import { inPostgresDatabase } from '../../support/postgres/postgres';
import { allPets, createUnder, environmentOf, isReplay, newPet, owner } from '../../support/http/client';
import { pidOf } from '../../support/processes/system';
import { attachStrace, detachAll } from '../support/machine/strace';
import { eventually } from '../../support/eventually';
import { killServices, startService } from '../../support/service/service-process';

const rex = newPet('Rex');

/** In milliseconds. */
const bound = 20_000;

/** A retry at a service that was started anew gives the first answer, though nobody ever got it. */
const expectOneAnimal = async (databaseUrl: string): Promise<Figures> => {
  const { address } = await startService(environmentOf(databaseUrl));
  const stored = await allPets({ address, key: owner });
  expect(stored, 'stored before the retry').to.have.length(1);
  const retry = await createUnder(address, 'lost', rex);
  expect([retry.status, retry.text, isReplay(retry)]).to.deep.equal([201, stored[0], true]);
  expect(await allPets({ address, key: owner })).to.deep.equal(stored);
  return { animals: stored.length, retry: 'replayed' };
};

describe('Promise 2: a create that was stored and not acknowledged is made once', () => {
  afterEach(detachAll);
  afterEach(killServices);

  fault(
    'SQLite: kill -9 between the sync of the commit and the answer',
    () =>
      inFolder(async (folder) => {
        const databaseUrl = `sqlite:${folder}/animals.sqlite3`;
        const service = await startService(environmentOf(databaseUrl));
        const syncs = 'fsync,fdatasync';
        const { output, kill } = await attachStrace(
          [pidOf(service)],
          ['-e', `trace=${syncs}`, '-e', `inject=${syncs}:delay_exit=60000000`],
          `${folder}/trace`,
        );
        const cut = createUnder(service.address, 'lost', rex).catch(() => undefined);
        await eventually('the commit is synced', bound, async () =>
          (await output()).includes('= 0 (DELAYED)'),
        );
        service.signal('SIGKILL');
        await kill();
        await service.ended;
        expect(await cut, 'the answer').to.equal(undefined);
        return expectOneAnimal(databaseUrl);
      }),
    { needs: ['strace'] },
  );

  fault('PostgreSQL: the reply to COMMIT never arrives, and then kill -9', () =>
    inPostgresDatabase((direct) =>
      throughProxy(direct, async (databaseUrl, { isMute, muteAt }) => {
        const service = await startService(environmentOf(databaseUrl));
        muteAt(/COMMIT/);
        const cut = createUnder(service.address, 'lost', rex).catch(() => undefined);
        await eventually('COMMIT is sent', bound, isMute);
        service.signal('SIGKILL');
        await service.ended;
        expect(await cut, 'the answer').to.equal(undefined);
        return expectOneAnimal(direct);
      }),
    ),
  );

  fault('PostgreSQL: the reply to COMMIT never arrives: 503, which says maybe', () =>
    inPostgresDatabase((direct) =>
      throughProxy(direct, async (databaseUrl, { muteAt }) => {
        const { address } = await startService(environmentOf(databaseUrl));
        muteAt(/COMMIT/);
        const { status, milliseconds } = await createUnder(address, 'lost', rex);
        expect(status).to.equal(503);
        const figures = await expectOneAnimal(direct);
        return { 'answered 503 after ms': Math.round(milliseconds), ...figures };
      }),
    ),
  );
});
