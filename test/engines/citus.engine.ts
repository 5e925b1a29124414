import { expect } from 'chai';
import { knexPetRepository } from '../../adapters/knex';
import { diagnose } from '../../app/doctor/diagnose';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../contracts';
import { inPostgresDatabase } from '../faults/support/in-postgres-database';
import { postgresDatabase } from '../support/databases';
import { eventually } from '../support/eventually';
import { run } from '../support/run';
import { withDatabase } from '../support/with-database';

const day = 24 * 60 * 60 * 1000;

describe('Citus', () => {
  it('forgets expired idempotency keys, though it locks no rows of several servers', () =>
    withDatabase(postgresDatabase, async (database) => {
      const clock = { time: Date.UTC(2026, 0, 1) };
      const { create } = knexPetRepository(database, { now: () => clock.time });
      await run(create(arbitraryNewPet(), arbitraryScopedIdempotencyKey()));
      clock.time += day + 1;
      await run(create(arbitraryNewPet(), arbitraryScopedIdempotencyKey()));
      await eventually('one is left', 10_000, async () => {
        const left: ReadonlyArray<unknown> = await database.reads('creation_keys').pluck('kept_until');
        return left.length === 1;
      });
    }));

  it('is looked at by doctor, which finds nothing wrong where the role has the limits', () =>
    inPostgresDatabase(async (url) => {
      const findings = await diagnose({ PORT: '0', DATABASE_URL: url, API_KEYS: 'a-key' })();
      expect(findings.filter(({ ok }) => !ok)).to.deep.equal([]);
      expect(findings.find(({ check }) => check === 'limits')?.text).to.contain(
        'lock_timeout=1000 on a node',
      );
    }));
});
