import { Client } from 'pg';
import { fault } from '../support/fault';
import { hangingNetwork } from '../support/databases/hanging-network';
import { inPostgresDatabase } from '../../support/postgres/postgres';
import { sicken } from '../support/databases/sick-store';
import { killServices } from '../../support/service/service-process';

/** Locks every animal, so that each query for one keeps its connection. */
const lockPets = async (url: string): Promise<() => Promise<void>> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  await client.query('lock table pets in access exclusive mode');
  return () => client.end();
};

describe('Promise 3: a sick PostgreSQL is a 503', () => {
  afterEach(killServices);

  fault('its pool is exhausted: one connection, and a lock held by another client', () =>
    inPostgresDatabase((url) =>
      sicken(
        { DATABASE_URL: url, POSTGRES_POOL_SIZE: '1' },
        { inject: () => lockPets(url), reads: 'reads are refused' },
      ),
    ),
  ).timeout(60_000);

  fault('its network hangs', () => inPostgresDatabase((url) => hangingNetwork(url, 0))).timeout(60_000);
});
