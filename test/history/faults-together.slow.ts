import { fault } from '../faults/support/fault';
import { runHistory } from './run-history';
import { citusCluster } from './set-ups/citus-cluster';
import { primaryAndStandby } from './set-ups/primary-and-standby';
import { sqliteFile } from './set-ups/sqlite-file';
import { settings } from './settings';

/** In milliseconds: what a run takes beside its faults. */
const aroundIt = 600_000;

describe(`Every promise, with all faults together (HISTORY_SEED=${settings.seed})`, () => {
  for (const setUp of [sqliteFile, primaryAndStandby, citusCluster]) {
    if (!settings.setUps.includes(setUp.name)) continue;
    fault(setUp.name, () => runHistory(setUp)).timeout(settings.seconds * 1_000 + aroundIt);
  }
});
