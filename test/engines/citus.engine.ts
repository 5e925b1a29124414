import { expect } from 'chai';
import { ageKeys } from '../support/databases/aging';
import { postgresDatabase, withDatabase } from '../support/databases/databases';
import { eventually } from '../support/eventually';
import { call } from '../support/http/client';
import { inPostgresDatabase } from '../support/postgres/postgres';
import { success } from '../contracts/outcome';
import { startService } from '../support/service/service-process';
import { knexPetRepository, migrate, openPostgres } from '../../adapters/knex';
import { diagnose } from '../../app/commands/doctor';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../contracts';
import { stopWorker } from './citus-cluster';

const key = 'a-key-on-citus';

const day = 24 * 60 * 60 * 1000;

describe('Citus', () => {
  it('purges expired idempotency keys, though it locks no rows of several servers', () =>
    withDatabase(postgresDatabase, async (database) => {
      const { create } = knexPetRepository(database);
      await success(create(arbitraryNewPet(), { idempotency: arbitraryScopedIdempotencyKey() }));
      await ageKeys(database, day);
      // A create starts the next purge, unless one is running.
      await eventually('no expired key is left', 10_000, async () => {
        await success(create(arbitraryNewPet(), { idempotency: arbitraryScopedIdempotencyKey() }));
        const left: ReadonlyArray<unknown> = await database.readPool('idempotency_keys').pluck('expires_at');
        return left.every((keptUntil) => Number(keptUntil) > Date.now());
      });
    }));

  it('is not ready and lists nothing while a worker is down, and recovers without a restart', () =>
    inPostgresDatabase(async (url) => {
      const { address } = await startService({ DATABASE_URL: url, API_KEYS: key, LOG_LEVEL: 'silent' });
      const statusOf = async (path: string): Promise<number> =>
        (await call(`${address}${path}`, { key })).status;
      expect(await statusOf('/readyz')).to.equal(200);
      const startWorker = await stopWorker();
      try {
        await eventually('it is not ready', 10_000, async () => (await statusOf('/readyz')) === 503);
        expect([await statusOf('/v1/pets'), await statusOf('/readyz')]).to.deep.equal([503, 503]);
      } finally {
        await startWorker();
      }
      await eventually('it is ready', 30_000, async () => (await statusOf('/readyz')) === 200);
      expect(await statusOf('/v1/pets')).to.equal(200);
    }));

  it('keeps its distribution and its keys through a migration that changes the columns of keys', () =>
    inPostgresDatabase(async (url) => {
      const [coordinator = ''] = (process.env['TEST_POSTGRES_URL'] ?? '').split(',');
      const migrationUrl = Object.assign(new URL(coordinator), { pathname: new URL(url).pathname }).href;
      const options = { poolSize: 2, statementTimeoutMs: 3_000 };
      const [database, migrating] = [openPostgres(url, options), openPostgres(migrationUrl, options)];
      const distribution = () =>
        database
          .readPool('citus_tables')
          .orderByRaw('table_name::text')
          .select('table_name', 'distribution_column', 'shard_count');
      const { create } = knexPetRepository(database);
      const [newPet, scopedKey] = [arbitraryNewPet(), arbitraryScopedIdempotencyKey()];
      try {
        const before = await distribution();
        await success(create(newPet, { idempotency: scopedKey }));
        await migrating.writePool('animal_store_migrations').where('name', 'like', '003%').delete();
        expect(await success(migrate(migrating))).to.have.lengthOf(1);
        expect(await distribution()).to.deep.equal(before);
        expect(await success(create(newPet, { idempotency: scopedKey }))).to.include({ replayed: true });
      } finally {
        await Promise.all([database.close(), migrating.close()]);
      }
    }));

  it('passes doctor', () =>
    inPostgresDatabase(async (url) => {
      const findings = await diagnose({ PORT: '0', DATABASE_URL: url, API_KEYS: key });
      expect(findings.filter(({ severity }) => severity === 'failed')).to.deep.equal([]);
    }));
});
