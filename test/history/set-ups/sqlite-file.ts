import { inFolder } from '../../support/temporary-folder';
import { sqliteStore } from '../../support/databases/databases';
import { inTmpfs } from '../../faults/support/machine/tmpfs';
import { findMissing } from '../../faults/support/machine/tools';
import { fillDisk } from '../nemesis/fill-disk';
import { cables, clocks, processes } from '../nemesis/instance-faults';
import type { Hand } from '../nemesis/nemesis';
import { silence } from '../nemesis/silence';
import { settings } from '../settings';
import { withInstances } from './instance';
import type { SetUp } from './set-up';

const diskSize = 128 * 1024 * 1024;

/** In milliseconds. */
const longestFull = 6_000;

const disk = (folder: string): Hand => ({
  name: 'disk',
  draw: (random) => fillDisk('the disk', folder, diskSize, random.between(500, longestFull)),
});

/** As somebody who has the file open in a shell, in a transaction. */
const lock = (file: string): Hand => ({
  name: 'lock',
  draw: (random) => {
    const lasts = silence(random);
    return {
      name: 'lock the file',
      silences: [],
      inject: async (last) => {
        // Who finds the file locked or the disk full has no lock.
        const release = await sqliteStore(file)
          .holdWriters()
          .catch(() => undefined);
        await last(lasts);
        await release?.();
      },
    };
  },
});

/** Three processes on one SQLite file, on a small disk of its own where one can be mounted. */
export const sqliteFile: SetUp = {
  name: 'sqlite',
  within: async (use) => {
    const canMount = (await findMissing(['mount'])) === undefined;
    const onDisk = <A>(run: (data: string) => Promise<A>): Promise<A> =>
      canMount ? inTmpfs(`${diskSize}`, run) : inFolder(run);
    return inFolder((folder) =>
      onDisk((data) => {
        const file = `${data}/animals.sqlite3`;
        const url = `sqlite:${file}`;
        return withInstances(folder, [url, url, url], settings.builds[0], (instances) => {
          const hands = [
            processes(instances, settings.builds),
            cables(instances),
            clocks(instances),
            lock(file),
          ];
          return use({ instances, hands: canMount ? [...hands, disk(data)] : hands });
        });
      }),
    );
  },
};
