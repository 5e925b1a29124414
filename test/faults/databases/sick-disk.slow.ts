import { expect } from 'chai';
import { rm, writeFile } from 'node:fs/promises';
import { fault } from '../support/fault';
import { sickSqlite, sickSqliteFile } from '../support/databases/sick-store';
import { attachStrace, detachAll } from '../support/machine/strace';
import { inTmpfs } from '../support/machine/tmpfs';
import { runCommand } from '../../support/processes/command';
import { killServices } from '../../support/service/service-process';

const diskSize = 4 * 1024 * 1024;

/** Takes what is left of a small disk, down to the last page. */
const fill = async (path: string): Promise<void> => {
  for (let size = diskSize; size >= 4096; size /= 2) {
    await writeFile(path, Buffer.alloc(size), { flag: 'a' }).catch(() => undefined);
  }
};

const failing = (call: string, error: string) =>
  sickSqliteFile({
    inject: async ({ pid }) => {
      const options = ['-e', `inject=${call}:error=${error}`];
      const { detach } = await attachStrace([pid], options, '/dev/null');
      return detach;
    },
    reads: 'reads go on',
  });

describe('Promise 3: a sick disk under SQLite is a 503', () => {
  afterEach(detachAll);
  afterEach(killServices);

  fault(
    'a full disk',
    () =>
      inTmpfs(
        `${diskSize}`,
        sickSqlite({
          inject: async ({ folder }) => {
            await fill(`${folder}/filler`);
            return () => rm(`${folder}/filler`);
          },
          reads: 'reads go on',
        }),
      ),
    { needs: ['mount'] },
  );

  fault(
    'a full disk, of which `doctor` tells',
    () =>
      inTmpfs(`${4 * diskSize}`, async (folder) => {
        const environment = { DATABASE_URL: `sqlite:${folder}/animals`, PORT: '0', API_KEYS: 'a-key' };
        await runCommand(['migrate'], environment);
        expect((await runCommand(['doctor'], environment)).code, 'with room').to.equal(0);
        for (let files = 0; files < 4; files += 1) await fill(`${folder}/filler-${files}`);
        const { code, stdout } = await runCommand(['doctor'], environment);
        expect(code, 'without room').to.equal(1);
        expect(stdout).to.match(
          /FAIL +database .*ENOSPC: only \d+ bytes are free on its disk: free space on its disk/,
        );
        return {};
      }),
    { needs: ['mount'] },
  );

  // A mounted file system can't be made read-only while a file is open for writing; this is what the kernel answers
  // once it has done so itself after an error.
  fault('a file system that turned read-only', failing('pwrite64,ftruncate,fallocate,unlink', 'EROFS'), {
    needs: ['strace'],
  });

  fault('fsync fails with EIO', failing('fsync,fdatasync', 'EIO'), { needs: ['strace'] });
  fault('write fails with EIO', failing('pwrite64', 'EIO'), { needs: ['strace'] });
  fault('write fails with ENOSPC', failing('pwrite64', 'ENOSPC'), { needs: ['strace'] });
});
