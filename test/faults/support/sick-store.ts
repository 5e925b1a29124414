import { startService } from '../../support/service-process';
import { inFolder } from './in-folder';
import type { Figures } from './fault';
import { pidOf } from './pids';
import { key, witness } from './witness';

interface Sickness {
  /** Injects the fault; answers with what takes its cause away. */
  readonly inject: (store: Store) => Promise<() => Promise<void>>;
  readonly reads: 'reads go on' | 'reads are refused';
  /** In milliseconds: how long the fault lasts once it shows. */
  readonly lasts?: number;
}

interface Store {
  readonly folder: string;
  readonly file: string;
  readonly pid: number;
}

/** Makes a store on SQLite sick under a service, waits until it shows, cures it, and counts after a kill -9. */
export const sickSqlite =
  ({ inject, reads, lasts = 0 }: Sickness) =>
  async (folder: string): Promise<Figures> => {
    const file = `${folder}/animals.sqlite3`;
    const environment = { DATABASE_URL: `sqlite:${file}`, API_KEYS: key, LOG_LEVEL: 'silent' };
    const service = await startService(environment);
    const { isWell, becomesSick, stays, heals, figures } = witness(service.address);
    await isWell();
    const cure = await inject({ folder, file, pid: pidOf(service) });
    try {
      await becomesSick(reads);
      await stays(lasts);
    } finally {
      await cure();
    }
    await heals();
    service.signal('SIGKILL');
    await service.ended;
    return figures((await startService(environment)).address);
  };

/** The same in a folder of its own. */
export const sickSqliteFile = (sickness: Sickness) => (): Promise<Figures> => inFolder(sickSqlite(sickness));
