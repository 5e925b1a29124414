import { rm, writeFile } from 'node:fs/promises';
import { fault } from '../faults/support/fault';
import { sickSqlite, sickSqliteFile } from '../faults/support/databases/sick-store';
import { attachStrace, detachAll } from '../faults/support/machine/strace';
import { inTmpfs } from '../faults/support/machine/tmpfs';
import { killServices } from '../support/service/service-process';

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

  // A mounted file system can't be made read-only while a file is open for writing; this is what the kernel answers
  // once it has done so itself after an error.
  fault('a file system that turned read-only', failing('pwrite64,ftruncate,fallocate,unlink', 'EROFS'), {
    needs: ['strace'],
  });

  fault('fsync fails with EIO', failing('fsync,fdatasync', 'EIO'), { needs: ['strace'] });
  fault('write fails with EIO', failing('pwrite64', 'EIO'), { needs: ['strace'] });
  fault('write fails with ENOSPC', failing('pwrite64', 'ENOSPC'), { needs: ['strace'] });
});
