import type { Environment } from '../../../support/processes/command';
import { startService } from '../../../support/service/service-process';
import type { Figures } from '../fault';
import { inFolder } from '../../../support/temporary-folder';
import { pidOf } from '../../../support/processes/system';
import { key, witness } from '../checks/witness';

interface Sickness<Store> {
  /** Injects the fault; answers with what takes its cause away. */
  readonly inject: (store: Store) => Promise<() => Promise<void>>;
  readonly reads: 'reads go on' | 'reads are refused';
  /** In milliseconds: how long the fault lasts once it shows. */
  readonly lasts?: number;
}

interface SqliteStore {
  readonly folder: string;
  readonly file: string;
  /** Of the service. */
  readonly pid: number;
}

/** Makes a store sick under a service, waits until it shows, cures it, and counts after a kill -9. */
export const sicken = async (
  settings: Environment,
  { inject, reads, lasts = 0 }: Sickness<{ readonly pid: number }>,
): Promise<Figures> => {
  const environment = { API_KEYS: key, LOG_LEVEL: 'silent', ...settings };
  const service = await startService(environment);
  const { isWell, becomesSick, stays, heals, figures } = witness(service.address);
  await isWell();
  const cure = await inject({ pid: pidOf(service) });
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

/** The same on a SQLite file in a folder. */
export const sickSqlite =
  ({ inject, ...course }: Sickness<SqliteStore>) =>
  (folder: string): Promise<Figures> => {
    const file = `${folder}/animals.sqlite3`;
    return sicken(
      { DATABASE_URL: `sqlite:${file}` },
      { inject: ({ pid }) => inject({ folder, file, pid }), ...course },
    );
  };

/** The same in a folder of its own. */
export const sickSqliteFile = (sickness: Sickness<SqliteStore>) => (): Promise<Figures> =>
  inFolder(sickSqlite(sickness));
