import { killServices } from '../../support/service/service-process';
import { fault } from '../support/fault';
import { hangingNetwork } from '../support/databases/hanging-network';
import { type OwnPostgres, withOwnPostgres } from '../../support/postgres/own-postgres';
import { childrenOf } from '../support/machine/pids';
import { sicken } from '../support/databases/sick-store';

const signalAll = (pids: ReadonlyArray<number>, signal: NodeJS.Signals): void => {
  for (const pid of pids) process.kill(pid, signal);
};

/** Stops the server and all that it does for its clients, as a machine that hangs; then lets it go on. */
const stopProcesses = ({ postmaster }: OwnPostgres): (() => Promise<void>) => {
  const pids = [postmaster(), ...childrenOf(postmaster())];
  signalAll(pids, 'SIGSTOP');
  return () => {
    signalAll(pids, 'SIGCONT');
    return Promise.resolve();
  };
};

describe('Promise 3: a sick PostgreSQL server is a 503', () => {
  afterEach(killServices);

  fault('killed with SIGKILL, and started again', () =>
    withOwnPostgres((postgres) =>
      sicken(
        { DATABASE_URL: postgres.url },
        {
          inject: () => {
            postgres.kill();
            return Promise.resolve(postgres.startAgain);
          },
          reads: 'reads are refused',
          lasts: 3_000,
        },
      ),
    ),
  );

  fault('all its processes are stopped for 30 s', () =>
    withOwnPostgres((postgres) =>
      sicken(
        { DATABASE_URL: postgres.url },
        {
          inject: () => Promise.resolve(stopProcesses(postgres)),
          reads: 'reads are refused',
          lasts: 30_000,
        },
      ),
    ),
  );

  fault('its network hangs for 30 s', () => withOwnPostgres(({ url }) => hangingNetwork(url, 30_000)));
});
