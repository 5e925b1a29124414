import { expect } from 'chai';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inTmpfs } from '../faults/support/machine';
import { eventually } from '../support/eventually';
import { createPet } from '../support/http/client';
import { needsPrograms } from '../support/processes/system';
import { killServices, startService } from '../support/service/service-process';
import { makeFolder, removeFolders } from '../support/temporary-folder';
import { startPrometheus } from './support/prometheus-server';

const diskSize = 8 * 1024 * 1024;

/** In milliseconds: a scrape, an evaluation, and a machine with other work. */
const bound = 60_000;

const caller = { key: 'a-key-of-this-test-that-is-long-enough' };

/** Takes what is left of a small disk, down to the last page. */
const fill = async (path: string): Promise<void> => {
  for (let size = diskSize; size >= 4096; size /= 2) {
    await writeFile(path, Buffer.alloc(size), { flag: 'a' }).catch(() => undefined);
  }
};

describe('A disk that is full', function () {
  needsPrograms('prometheus');
  before(function () {
    if (process.getuid?.() !== 0) this.skip();
  });

  after(killServices);
  after(removeFolders);

  it('fires the alerts of a full disk and of a service that is not ready, and the latter goes once there is room', () =>
    inTmpfs(`${diskSize}`, async (folder) => {
      const service = await startService({
        DATABASE_URL: `sqlite:${join(folder, 'animals.sqlite3')}`,
        API_KEYS: caller.key,
        ADMIN_PORT: '0',
        LOG_LEVEL: 'silent',
      });
      const pet = '{"name":"Rex","categoryId":7}';
      const create = async (): Promise<number> =>
        (await createPet({ address: service.address, ...caller }, pet)).status;
      expect(await create()).to.equal(201);
      const prometheus = await startPrometheus(await makeFolder(), await service.adminAddress());
      const names = ['AnimalStoreDiskFull', 'AnimalStoreNotReady'];
      const firing = async (): Promise<ReadonlyArray<string>> => {
        const alerts = await prometheus.alerts();
        return names.filter((name) => alerts.includes(name));
      };
      try {
        const filler = join(folder, 'filler');
        await fill(filler);
        await eventually('creations are refused', bound, async () => (await create()) === 503);
        await eventually('both alerts', bound, async () => (await firing()).length === names.length);
        await rm(filler);
        await eventually('it is ready', bound, async () => (await create()) === 201);
        // A disk of 8 MB is never one with room in the eyes of the alert.
        await eventually(
          'the alert goes',
          bound,
          async () => !(await firing()).includes('AnimalStoreNotReady'),
        );
      } finally {
        await prometheus.stop();
      }
    }));
});
