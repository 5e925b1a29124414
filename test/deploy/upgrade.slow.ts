import { expect } from 'chai';
import { join } from 'node:path';
import { expectStored, newLedger } from '../faults/support/ledger';
import { packService } from '../../deploy/packages/pack';
import { type Environment, killPrograms, shell, startProgram } from '../support/processes/command';
import { eventually } from '../support/eventually';
import { freePort } from '../support/processes/system';
import { type Answer, createUnder, isReplay, newPet } from '../support/http/client';
import { prebuiltDriverCache } from '../support/packages';
import { type ServiceProcess, whenServing } from '../support/service/service-process';
import { makeFolder, removeFolders } from '../support/temporary-folder';

/** Package of an older release, made by `npm run pack` in its checkout. By default, this release replaces itself. */
const olderPackage = process.env['TEST_OLDER_PACKAGE'];

const clients = 8;

const bound = 120_000;

describe('The global package', () => {
  let prefix = '';
  let cache = '';

  before(async () => {
    prefix = await makeFolder();
    cache = await prebuiltDriverCache();
  });

  afterEach(killPrograms);
  after(removeFolders);

  const install = async (tarball: string): Promise<void> => {
    const command = `npm install --global --prefix ${prefix} ${tarball} --allow-scripts=sqlite3`;
    const { code, stderr } = await shell(prefix, command, { npm_config_cache: cache });
    expect(code, stderr).to.equal(0);
  };

  const start = (environment: Environment): Promise<ServiceProcess> =>
    whenServing(startProgram(join(prefix, 'bin/animal-store'), ['serve'], { environment, folder: prefix }));

  it('replaces an older one under load, and a key by its successor, and neither loses nor repeats an animal', async () => {
    const newer = packService(await makeFolder());
    await install(olderPackage ?? newer);
    const environment = {
      PORT: String(await freePort()),
      DATABASE_URL: `sqlite:${join(prefix, 'animals.sqlite3')}`,
      LOG_LEVEL: 'silent',
    };
    const animalStore = async (...command: ReadonlyArray<string>): Promise<string> => {
      const program = join(prefix, 'bin/animal-store');
      const { code, stdout, stderr } = await startProgram(program, command, { environment }).ended;
      expect(code, stderr).to.equal(0);
      return stdout.trim();
    };
    await animalStore('migrate');
    let key = await animalStore('keys', 'create', '--name=shop');
    const address = `http://127.0.0.1:${environment.PORT}`;
    const create = (name: string): Promise<Answer> => createUnder(address, name, newPet(name), key);

    const ledger = newLedger();
    const created = new Map<string, string>();
    let isOver = false;
    /** Repeats a create with its idempotency key until it gets a 201. */
    const insist = async (name: string): Promise<void> => {
      ledger.sent.add(name);
      while (!created.has(name) && !isOver) {
        // While the service is being replaced, the connection ends.
        const answer = await create(name).catch(() => undefined);
        if (answer?.status === 201) created.set(name, answer.text);
        else if (answer !== undefined) expect(answer.status, answer.text).to.equal(503);
      }
    };
    let service = await start(environment);
    const load = Array.from({ length: clients }, async (_, client) => {
      for (let count = 0; !isOver; count += 1) await insist(`${client}-${count}`);
    });
    const after = async (more: number): Promise<void> => {
      const before = created.size;
      await eventually('animals are made', bound, () => created.size >= before + more);
    };

    await after(50);
    await install(newer);
    expect(await service.stop()).to.include({ code: 0 });
    const beforeUpgrade = [...created];
    service = await start(environment);
    await after(50);
    const old = key;
    key = await animalStore('keys', 'rotate', old.split('_')[1] ?? '', '--grace=2s');
    await after(50);
    isOver = true;
    await Promise.all(load);

    // Sends creates of the older release to the newer one again, with the API key that replaced theirs.
    for (const [name, text] of beforeUpgrade.slice(0, 20)) {
      const answer = await create(name);
      expect(isReplay(answer), name).to.equal(true);
      expect(answer.text).to.equal(text);
    }
    await expectStored({ address, key }, { ...ledger, acknowledged: [...created.values()] });
    expect(await service.stop()).to.include({ code: 0 });
  });
});
