import { expect } from 'chai';
import { hasWriteAheadLog, integrityOf } from '../support/inspect-sqlite';
import { allPets, createPet } from '../support/pet-calls';
import { killServices, startService } from '../support/service-process';
import { newDatabaseFile, removeFolders } from '../support/temporary-folder';

const key = 'restart-key';
const clients = 16;
const rounds = 4;

const newPets = [
  '{"name":"largest","categoryId":9223372036854775807,"status":"sold"}',
  '{"name":"smallest","categoryId":-9223372036854775808,"status":"pending"}',
  '{"name":"past 2^53","categoryId":9007199254740993}',
  '{"name":"","categoryId":0,"status":"available"}',
  '{"name":"Zoë 東京 🐢 \\u0001\\n\\"\'; DROP TABLE pets;--","categoryId":-1}',
];

const nameOf = (pet: string): string | undefined => /"name":"([^"]*)"/.exec(pet)?.[1];

describe('A service that ends', () => {
  afterEach(killServices);
  afterEach(removeFolders);

  it('finds all animals on its next start, to the digit and to the letter', async () => {
    const file = await newDatabaseFile();
    const environment = { DATABASE_URL: `sqlite:${file}`, API_KEYS: key };
    const first = await startService(environment);
    const answers = [];
    for (const newPet of newPets) answers.push(await createPet({ ...first, key }, newPet));
    expect(answers.map(({ status }) => status)).to.deep.equal(newPets.map(() => 201));
    expect((await first.stop()).code).to.equal(0);
    expect(hasWriteAheadLog(file)).to.equal(false);

    const second = await startService(environment);
    expect(await allPets({ ...second, key })).to.deep.equal(answers.map(({ text }) => text));
    const another = await createPet({ ...second, key }, '{"name":"next","categoryId":1}');
    expect(another.text).to.include(`"id":${newPets.length + 1},`);
  });

  it('has every acknowledged animal after kill -9 between two creates', async () => {
    const environment = { DATABASE_URL: `sqlite:${await newDatabaseFile()}`, API_KEYS: key };
    const acknowledged = [];
    for (const newPet of newPets.slice(0, 2)) {
      const service = await startService(environment);
      acknowledged.push((await createPet({ ...service, key }, newPet)).text);
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
        expect(reason, 'the one way to fail is to lose the connection').to.be.instanceOf(TypeError);
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
