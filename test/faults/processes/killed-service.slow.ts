import { expect } from 'chai';
import { integrityOf } from '../../support/databases/sqlite-files';
import { allPets, createPet } from '../../support/http/client';
import { killServices, startService } from '../../support/service/service-process';
import { newDatabaseFile, removeFolders } from '../../support/temporary-folder';

const key = 'restart-key';
const clients = 16;
const rounds = 4;

const nameOf = (pet: string): string | undefined => /"name":"([^"]*)"/.exec(pet)?.[1];

describe('A service that is killed', function () {
  afterEach(killServices);
  afterEach(removeFolders);

  it('has every acknowledged animal after kill -9 between two creates', async () => {
    const environment = { DATABASE_URL: `sqlite:${await newDatabaseFile()}`, API_KEYS: key };
    const acknowledged = [];
    for (const name of ['one', 'two']) {
      const service = await startService(environment);
      acknowledged.push((await createPet({ ...service, key }, `{"name":"${name}","categoryId":7}`)).text);
      service.signal('SIGKILL');
      expect(await service.ended).to.include({ signal: 'SIGKILL' });
    }
    const last = await startService(environment);
    expect(await allPets({ ...last, key })).to.deep.equal(acknowledged);
  });

  it(`has every acknowledged animal once after ${rounds} times kill -9 amid creates`, async () => {
    const file = await newDatabaseFile();
    const environment = { DATABASE_URL: `sqlite:${file}`, API_KEYS: key, LOG_LEVEL: 'silent' };
    const sent = new Set<string>();
    const acknowledged: Array<string> = [];

    for (let round = 0; round < rounds; round += 1) {
      const service = await startService(environment);
      const killAfter = acknowledged.length + 1 + Math.floor(Math.random() * 400);
      const createUntilKilled = async (client: number): Promise<void> => {
        for (let count = 0; ; count += 1) {
          const name = `${round}-${client}-${count}`;
          sent.add(name);
          const { status, text } = await createPet(
            { ...service, key },
            `{"name":"${name}","categoryId":${count}}`,
          );
          expect(status).to.equal(201);
          acknowledged.push(text);
          if (acknowledged.length === killAfter) service.signal('SIGKILL');
        }
      };
      const outcomes = await Promise.allSettled(
        Array.from({ length: clients }, (_, client) => createUntilKilled(client)),
      );
      for (const { reason } of outcomes.filter((outcome) => outcome.status === 'rejected')) {
        expect(reason, 'no connection')
          .to.have.property('code')
          .that.is.oneOf(['ECONNREFUSED', 'ECONNRESET']);
      }
      expect(await service.ended).to.include({ signal: 'SIGKILL' });
    }

    const last = await startService(environment);
    const stored = await allPets({ ...last, key });
    expect(stored, 'acknowledged').to.include.members(acknowledged);
    const names = stored.map(nameOf);
    expect(new Set(names).size, 'once').to.equal(names.length);
    expect(
      names.filter((name) => name === undefined || !sent.has(name)),
      'never sent',
    ).to.deep.equal([]);
    expect((await last.stop()).code).to.equal(0);
    expect(await integrityOf(file)).to.deep.equal(['ok']);
  });
});
