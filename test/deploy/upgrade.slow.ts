import { expect } from 'chai';
import { join } from 'node:path';
import { packService } from '../../deploy/packages/pack';
import {
  type Environment,
  killPrograms,
  projectFolder,
  type Running,
  shell,
  startProgram,
} from '../support/processes/command';
import { eventually } from '../support/eventually';
import { freePort } from '../support/processes/system';
import { allPets } from '../support/http/client';
import { makeFolder, removeFolders } from '../support/temporary-folder';

/** The service's package of an older commit, from its `npm run pack`; without it this release takes its own place. */
const olderPackage = process.env['TEST_OLDER_PACKAGE'];

const clients = 8;

/** In milliseconds. */
const bound = 120_000;

describe('The global package', () => {
  let prefix = '';
  let cache = '';

  before(async () => {
    prefix = await makeFolder();
    // The driver that was compiled here is where its install script looks for one to download.
    cache = join(projectFolder, 'node_modules/.cache/npm');
    const script = join(projectFolder, 'test/deploy/support/cache-prebuilt-driver.mjs');
    expect((await startProgram(process.execPath, [script, cache]).ended).code).to.equal(0);
  });

  afterEach(killPrograms);
  after(removeFolders);

  const install = async (tarball: string): Promise<void> => {
    const command = `npm install --global --prefix ${prefix} ${tarball} --allow-scripts=sqlite3`;
    const { code, stderr } = await shell(prefix, command, { npm_config_cache: cache });
    expect(code, stderr).to.equal(0);
  };

  const start = async (environment: Environment): Promise<Running> => {
    const running = startProgram(join(prefix, 'bin/animal-store'), ['serve'], {
      environment,
      folder: prefix,
    });
    await eventually('it serves', bound, () => running.stderr().includes(' serves '));
    return running;
  };

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
    const create = (name: string): Promise<Response> =>
      fetch(`${address}/v1/pets`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${key}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': name,
        },
        body: JSON.stringify({ name, categoryId: 7 }),
      });

    const created = new Map<string, string>();
    const refused = new Map<number, number>();
    let isOver = false;
    /** As a client does that wants its animal: the same again until it is there. */
    const insist = async (name: string): Promise<void> => {
      for (let isThere = false; !isThere && !isOver;) {
        try {
          const response = await create(name);
          const text = await response.text();
          isThere = response.status === 201;
          if (isThere) created.set(name, text);
          else refused.set(response.status, (refused.get(response.status) ?? 0) + 1);
        } catch {
          // It is being replaced.
        }
      }
    };
    let running = await start(environment);
    const load = Array.from({ length: clients }, async (_, client) => {
      for (let count = 0; !isOver; count += 1) await insist(`${client}-${count}`);
    });
    const after = async (more: number): Promise<void> => {
      const before = created.size;
      await eventually('animals are made', bound, () => created.size >= before + more);
    };

    await after(50);
    await install(newer);
    running.signal('SIGTERM');
    expect(await running.ended).to.include({ code: 0 });
    const beforeUpgrade = [...created];
    running = await start(environment);
    await after(50);
    const old = key;
    key = await animalStore('keys', 'rotate', old.split('_')[1] ?? '', '--grace=2s');
    await after(50);
    isOver = true;
    await Promise.all(load);

    expect([...refused.keys()].filter((status) => status !== 503)).to.deep.equal([]);
    // What the older release made under the older key is sent again, to the newer with the successor.
    for (const [name, text] of beforeUpgrade.slice(0, 20)) {
      const response = await create(name);
      expect(response.headers.get('Idempotent-Replayed'), name).to.equal('true');
      expect(await response.text()).to.equal(text);
    }
    const stored = await allPets({ address, key });
    expect(new Set(stored).size).to.equal(stored.length);
    const names = stored.map((pet) => /"name":"([^"]*)"/.exec(pet)?.[1] ?? '');
    expect(new Set(names).size, 'none twice').to.equal(names.length);
    expect([...created.values()].filter((pet) => !stored.includes(pet))).to.deep.equal([]);
    running.signal('SIGTERM');
    expect(await running.ended).to.include({ code: 0 });
  });
});
