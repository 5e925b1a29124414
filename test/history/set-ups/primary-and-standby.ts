import type { FreezingProxy } from '../../support/postgres/freezing-proxy';
import { startFreezingProxy } from '../../support/postgres/freezing-proxy';
import { inFolder } from '../../support/temporary-folder';
import { urlOf } from '../../support/postgres/postgres-server';
import { type PostgresPair, withPostgresPair } from '../../faults/support/databases/postgres-pair';
import { inTmpfs } from '../../faults/support/machine/tmpfs';
import { findMissing } from '../../faults/support/machine/tools';
import { databaseCables } from '../nemesis/database-faults';
import { cables, clocks, processes } from '../nemesis/instance-faults';
import { pairFaults } from '../nemesis/pair-faults';
import { settings } from '../settings';
import { withInstances } from './instance';
import type { SetUp } from './set-up';

const instances = 3;
const diskSize = 640 * 1024 * 1024;

const withCables = async <A>(
  pair: PostgresPair,
  use: (cables: ReadonlyArray<FreezingProxy>) => Promise<A>,
): Promise<A> => {
  const cables = await Promise.all(
    Array.from({ length: instances }, () => startFreezingProxy(pair.primary().port)),
  );
  try {
    return await use(cables);
  } finally {
    for (const cable of cables) await cable.close();
  }
};

/** In characters. */
const shownLog = 2_000;

const logsOf = (pair: PostgresPair): string =>
  [pair.primary(), pair.standby()]
    .map(
      (node) =>
        `port ${node.port}, ${node.isRunning() ? 'runs' : 'has ended'}: ${node.log().slice(-shownLog)}`,
    )
    .join('\n');

/** A primary and a synchronous standby, each on a small disk of its own where one can be mounted; three instances. */
export const primaryAndStandby: SetUp = {
  name: 'standby',
  within: async (use) => {
    const canMount = (await findMissing(['mount'])) === undefined;
    const onDisk = <A>(run: (data: string) => Promise<A>): Promise<A> =>
      canMount ? inTmpfs(`${diskSize}`, run) : inFolder(run);
    return inFolder((folder) =>
      onDisk((first) =>
        onDisk((second) =>
          withPostgresPair([first, second], (pair) =>
            withCables(pair, (databases) =>
              withInstances(
                folder,
                databases.map(({ port }) => urlOf(port)),
                settings.builds[0],
                (instances) =>
                  use({
                    instances,
                    databaseLog: () => logsOf(pair),
                    hands: [
                      processes(instances, settings.builds),
                      cables(instances),
                      clocks(instances),
                      databaseCables(databases),
                      pairFaults(pair, databases, canMount ? diskSize : 0),
                    ],
                  }),
              ),
            ),
          ),
        ),
      ),
    );
  },
};
