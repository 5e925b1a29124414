import { killServices } from '../../support/service/service-process';
import { fault } from '../support/fault';
import { hangingNetwork } from '../support/databases/hanging-network';
import { withOwnPostgres } from '../../support/postgres/postgres-server';
import { sicken } from '../support/databases/sick-store';

describe('Promise 3: a sick PostgreSQL server is a 503', () => {
  afterEach(killServices);

  fault('killed with SIGKILL, and started again', () =>
    withOwnPostgres((postgres) =>
      sicken(
        { DATABASE_URL: postgres.url },
        {
          inject: async () => {
            await postgres.kill();
            return postgres.start;
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
          inject: () => {
            const goOn = postgres.hang();
            return Promise.resolve(async () => {
              await Promise.resolve();
              goOn();
            });
          },
          reads: 'reads are refused',
          lasts: 30_000,
        },
      ),
    ),
  );

  fault('its network hangs for 30 s', () => withOwnPostgres(({ url }) => hangingNetwork(url, 30_000)));
});
