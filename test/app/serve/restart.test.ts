import { expect } from 'chai';
import { hasWriteAheadLog } from '../../support/databases/sqlite-files';
import { allPets, createPet } from '../../support/http/client';
import { killServices, startService } from '../../support/service/service-process';
import { newDatabaseFile, removeFolders } from '../../support/temporary-folder';

const key = 'restart-key';

const newPets = [
  '{"name":"largest","categoryId":9223372036854775807,"status":"sold"}',
  '{"name":"smallest","categoryId":-9223372036854775808,"status":"pending"}',
  '{"name":"past 2^53","categoryId":9007199254740993}',
  '{"name":"","categoryId":0,"status":"available"}',
  '{"name":"Zoë 東京 🐢 \\u0001\\n\\"\'; DROP TABLE pets;--","categoryId":-1}',
];

describe('A service that is stopped', () => {
  afterEach(killServices);
  afterEach(removeFolders);

  it('has all animals after its next start, byte for byte', async () => {
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
});
