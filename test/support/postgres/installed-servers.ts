import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export const installedServers = '/usr/lib/postgresql';

/**
 * Returns the folder with the programs of the newest installed PostgreSQL. The server of the npm package may be too new
 * for the installed `pg_dump`.
 */
export const newestProgramFolder = (): string | undefined => {
  const version = existsSync(installedServers) ? readdirSync(installedServers).toSorted().at(-1) : undefined;
  return version === undefined ? undefined : join(installedServers, version, 'bin');
};
