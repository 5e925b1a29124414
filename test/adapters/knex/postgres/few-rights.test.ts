import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import {
  apiKeyRegister,
  knexAuthenticate,
  knexPetRepository,
  knexReadiness,
  migrate,
  openPostgres,
} from '../../../../adapters/knex';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../../../contracts';
import { withDatabase } from '../../../support/databases/with-database';
import { createPostgresDatabase, execute } from '../../../support/postgres/postgres';
import { run } from '../../../support/run';

const limits = { poolSize: 2, statementTimeout: 3_000 };

describe('A role of PostgreSQL that may make no table', () => {
  it('serves a store that is migrated and has a key, by the rights that the README names', async () => {
    const { url, drop } = await createPostgresDatabase();
    const role = `few_${randomBytes(8).toString('hex')}`;
    const asRole = new URL(url);
    asRole.username = asRole.password = role;
    try {
      await withDatabase(
        () => Promise.resolve({ open: () => openPostgres(url, limits), remove: () => Promise.resolve() }),
        async (owners) => {
          const { key } = await run(apiKeyRegister(owners).issue('shop'));
          await execute(
            url,
            `create role ${role} login password '${role}'`,
            `grant select, insert, update, delete on all tables in schema public to ${role}`,
            `grant usage on sequence pets_id_seq to ${role}`,
          );
          const database = openPostgres(asRole.href, limits);
          try {
            expect(await run(migrate(database))).to.deep.equal([]);
            expect(await run(apiKeyRegister(database).issueFirst('first'))).to.equal(undefined);
            await run(knexAuthenticate(database)(key));
            const { create } = knexPetRepository(database);
            const [newPet, retried] = [arbitraryNewPet(), arbitraryScopedIdempotencyKey()];
            for (const replayed of [false, true])
              expect(await run(create(newPet, retried))).to.include({ replayed });
            expect(await knexReadiness(database)()).to.equal(undefined);
          } finally {
            await database.close();
          }
        },
      );
    } finally {
      await execute(url, `drop owned by ${role}`, `drop role ${role}`);
      await drop();
    }
  });
});
