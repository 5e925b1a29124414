import { expect } from 'chai';
import { startProgram } from '../../support/processes/command';
import { columnOf } from '../../support/databases/sqlite-files';
import { createPet, listPets } from '../../support/http/client';
import { runInProcess } from '../../support/processes/run-in-process';
import { killServices, startService } from '../../support/service/service-process';
import { newCatalogue } from '../../support/databases/catalogue';
import { newDatabaseFile, removeFolders } from '../../support/temporary-folder';

const announcedKey = /shown only once|animals_/;

const startLine = ({ address }: { readonly address: string }, file: string): string =>
  `animal-store serves ${address} with its data in sqlite:${file} (set: DATABASE_URL=sqlite:${file}, PORT=0)`;

describe('The first start', () => {
  afterEach(killServices);
  afterEach(removeFolders);

  it('prints its address, a key and a curl line, and nothing else', async () => {
    const file = await newDatabaseFile();
    const service = await startService({ DATABASE_URL: `sqlite:${file}` });
    const key = await service.firstKey();
    await service.stop();
    expect(service.stderr()).to.equal(
      [
        startLine(service, file),
        `First API key, shown only once: ${key}`,
        `Try it: curl -H 'Authorization: Bearer ${key}' ${service.address}/v1/pets`,
        '',
      ].join('\n'),
    );
  });

  for (const [where, address] of [
    ['in memory', () => Promise.resolve('memory:')],
    ['on SQLite', async () => `sqlite:${await newDatabaseFile()}`],
  ] as const) {
    it(`has a curl line to paste that lists no animals, ${where}`, async function () {
      if ((await startProgram('sh', ['-c', 'command -v curl']).ended).code !== 0) this.skip();
      const service = await startService({ DATABASE_URL: await address() });
      const { code, stdout } = await startProgram('sh', ['-c', await service.firstCall()]).ended;
      expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '[]' });
    });
  }

  it('is followed by starts that create no key and keep the data', async () => {
    const file = await newDatabaseFile();
    const environment = { DATABASE_URL: `sqlite:${file}` };
    const first = await startService(environment);
    const key = await first.firstKey();
    const pet = await createPet({ ...first, key }, '{"name":"Tib","categoryId":9223372036854775807}');
    expect(pet.status).to.equal(201);
    await first.stop();

    const second = await startService(environment);
    expect(await listPets({ ...second, key })).to.deep.equal({ status: 200, text: `[${pet.text}]` });
    expect((await second.stop()).stderr).to.equal(`${startLine(second, file)}\n`);
  });

  it('creates no key if API_KEYS is set', async () => {
    const file = await newDatabaseFile();
    const service = await startService({ DATABASE_URL: `sqlite:${file}`, API_KEYS: 'one,two' });
    const statuses = await Promise.all(
      ['one', 'two', 'three', 'one,two'].map(async (key) => (await listPets({ ...service, key })).status),
    );
    expect(statuses).to.deep.equal([200, 200, 401, 401]);
    expect((await service.stop()).stderr).not.to.match(announcedKey);
    expect(await columnOf(file, 'api_keys', 'id')).to.deep.equal([]);
  });

  it('rejects the keys of the database if API_KEYS is set', async () => {
    const { environment } = await newCatalogue();
    const key = (await runInProcess(['keys', 'create', '--name', 'shop'], environment)).stdout.trim();
    const service = await startService({ ...environment, API_KEYS: 'one' });
    expect((await listPets({ ...service, key })).status).to.equal(401);
    expect((await listPets({ ...service, key: 'one' })).status).to.equal(200);
  });

  for (const [address, words] of [
    ['memory:', 'set API_KEYS'],
    ['sqlite:', 'set API_KEYS, or create a key with `animal-store keys create --name NAME`'],
  ] as const) {
    it(`fails in production without a key, and says how to get one: ${address}`, async () => {
      const environment = {
        DATABASE_URL: address === 'memory:' ? address : `sqlite:${await newDatabaseFile()}`,
        NODE_ENV: 'production',
        PORT: '0',
      };
      const { code, stdout, stderr } = await runInProcess(['serve'], environment);
      expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
      expect(stderr).to.equal(`animal-store: there is no valid API key: ${words}\n`);
    });
  }

  it('succeeds in production after the advice is followed', async () => {
    const environment = { DATABASE_URL: `sqlite:${await newDatabaseFile()}`, NODE_ENV: 'production' };
    expect((await runInProcess(['serve'], environment)).stderr).to.include('`animal-store keys create');
    const key = (await runInProcess(['keys', 'create', '--name', 'shop'], environment)).stdout.trim();
    const service = await startService(environment);
    expect(await listPets({ ...service, key })).to.deep.equal({ status: 200, text: '[]' });
    expect((await service.stop()).stderr).not.to.match(announcedKey);
  });
});
