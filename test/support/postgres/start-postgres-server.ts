import { fork } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { placePostgresServer } from './place-postgres-server';

/** An embedded PostgreSQL server, in a process of its own. */
export interface PostgresServer {
  readonly url: string;
  /** Stops it, and removes its data. */
  readonly stop: () => Promise<void>;
}

/** Takes some seconds. */
export const startPostgresServer = async (): Promise<PostgresServer> => {
  const { folder, script } = await placePostgresServer();
  const child = fork(script, [folder], {
    execArgv: ['--import', pathToFileURL(require.resolve('tsx')).href],
  });
  const told: ReadonlyArray<unknown> = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  const url = told[0];
  if (typeof url !== 'string')
    throw new Error('PostgreSQL for the tests did not start: standard error says why');
  return {
    url,
    stop: async () => {
      if (!child.connected) return;
      const stopped = once(child, 'exit');
      child.disconnect();
      await stopped;
    },
  };
};
