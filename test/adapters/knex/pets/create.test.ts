import { expect } from 'chai';
import { randomInt } from 'node:crypto';
import { type OpenedDatabase, knexPetRepository } from '../../../../adapters/knex';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../../../contracts';
import { allPets } from '../../../contracts/pet-repository/pages-of';
import {
  databaseKinds,
  isDistributed,
  postgresDatabase,
  withDatabase,
  withDatabases,
  withStatements,
} from '../../../support/databases/databases';
import { alterTables } from '../../../support/postgres/postgres';
import { success } from '../../../contracts/outcome';
import { keyed, newPets } from './new-pets';

type Kind = (typeof databaseKinds)[number][0];

/** Name that does not compress, so that its index row is too large. */
const refusedName = `a secret - ${String.fromCodePoint(...Array.from({ length: 980 }, () => randomInt(0x10000, 0x110000)))}`;

const raisingTrigger = {
  'a trigger raises an exception (P0001)': [
    `create function refuse() returns trigger language plpgsql as $$ begin
       if length(new.name) > 500 then raise exception 'too long'; end if;
       return new;
     end $$`,
    'create trigger refuse before insert on pets for each row execute function refuse()',
  ],
};

/** Statements after which a database refuses only animals with `refusedName`. */
const refusals: Readonly<Record<Kind, Readonly<Record<string, ReadonlyArray<string>>>>> = {
  SQLite: {
    'a trigger aborts': [
      `create trigger refusal before insert on pets when length(new.name) > 500
       begin select raise(abort, 'no such animal'); end`,
    ],
  },
  PostgreSQL: {
    'it breaks a constraint (23514)': ['alter table pets add constraint refusal check (length(name) <= 500)'],
    'an index row is too large (54000)': ['create index on pets (name)'],
    // Citus has no triggers on distributed tables.
    ...(isDistributed ? {} : raisingTrigger),
  },
};

const refuse = async (
  kind: Kind,
  database: OpenedDatabase,
  statements: ReadonlyArray<string>,
): Promise<void> => {
  if (kind === 'PostgreSQL') await alterTables(database, ...statements);
  else for (const statement of statements) await database.writePool.raw(statement);
};

describe('creating animals in PostgreSQL', () => {
  it('tries no animal alone when the connection failed', () =>
    withDatabase(postgresDatabase, async (database) => {
      let statements = 0;
      const insert = () => {
        statements += 1;
        return Promise.reject(Object.assign(new Error('terminating'), { code: '57P01' }));
      };
      const { create } = knexPetRepository(withStatements(database, { insert }));
      const outcomes = await Promise.all(newPets(15).map((newPet) => create(newPet)()));
      expect(new Set(outcomes.map(({ _tag }) => _tag))).to.deep.equal(new Set(['Left']));
      expect(statements).to.equal(1);
    }));
});

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`creating animals in ${kind}`, () => {
    const use = (test: (database: OpenedDatabase) => Promise<void>) => withDatabase(makeDatabase, test);

    for (const [why, statements] of Object.entries(refusals[kind])) {
      for (const idempotency of [undefined, arbitraryScopedIdempotencyKey()]) {
        it(`fails the one animal that the database refuses, ${idempotency ? 'with a key' : 'without keys'}: ${why}`, () =>
          use(async (database) => {
            await refuse(kind, database, statements);
            const repository = knexPetRepository(database);
            const all = newPets(15);
            const [outcome, ...made] = await Promise.all([
              repository.create({ ...arbitraryNewPet(), name: refusedName }, { idempotency })(),
              ...all.map((newPet) => success(repository.create(newPet))),
            ]);
            expect(outcome._tag).to.equal('Left');
            expect(made.map(({ pet: { id: _, ...newPet } }) => newPet)).to.deep.equal(all);
            expect(await allPets(repository)).to.have.lengthOf(15);
            if (idempotency !== undefined)
              expect(
                (await success(repository.create(arbitraryNewPet(), { idempotency }))).replayed,
              ).to.equal(false);
          }));
      }
    }

    it('refuses a create whose idempotency key is in progress, until that create has ended', () =>
      use(async (database) => {
        const { create } = knexPetRepository(database);
        const [newPet, idempotency] = [arbitraryNewPet(), arbitraryScopedIdempotencyKey()];
        const [first, second] = await Promise.all([
          create(newPet, { idempotency })(),
          create(newPet, { idempotency })(),
        ]);
        expect(first).to.have.nested.property('right.replayed', false);
        expect(second).to.have.nested.property('left._tag', 'IdempotencyKeyInFlight');
        expect((await success(create(newPet, { idempotency }))).replayed).to.equal(true);
      }));

    it('gives each create its own animal, in whatever order the database returns the rows', () =>
      use(async (database) => {
        let statements = 0;
        const reversing = withStatements(database, {
          insert: async (knex, newPets) => {
            statements += 1;
            return (await database.statements.insert(knex, newPets)).toReversed();
          },
        });
        const { create } = knexPetRepository(reversing);
        const all = newPets(15);
        const made = await Promise.all(all.map((newPet) => success(create(newPet))));
        expect(made.map(({ pet: { id: _, ...newPet } }) => newPet)).to.deep.equal(all);
        expect(statements).to.equal(1);
      }));

    it('keeps values and statements out of the cause of a failure', () =>
      use(async (database) => {
        await refuse(kind, database, Object.values(refusals[kind])[0] ?? []);
        const { create } = knexPetRepository(database);
        const outcome = await create({ ...arbitraryNewPet(), name: refusedName })();
        if (outcome._tag !== 'Left' || outcome.left._tag !== 'Unavailable')
          throw new Error('it was not refused');
        const { cause } = outcome.left;
        if (!(cause instanceof Error)) throw new Error('the cause is no error');
        const shown = `${String(cause)} ${JSON.stringify(cause)}`;
        expect(shown).not.to.match(/secret|insert into/i);
        expect(shown).to.match(/refusal|no such animal/);
      }));

    it('makes one animal of one key in two instances at once, of equal and of different creations', () =>
      withDatabases(2, makeDatabase, async (...databases) => {
        const repositories = databases.map((database) => knexPetRepository(database));
        const creations = keyed(30);
        const outcomes = await Promise.all(
          creations.map(([newPet, idempotency], index) =>
            Promise.all(
              repositories.map((repository) =>
                repository.create(index % 2 === 0 ? newPet : arbitraryNewPet(), { idempotency })(),
              ),
            ),
          ),
        );
        for (const pair of outcomes) {
          const made = pair.flatMap((outcome) => (outcome._tag === 'Right' ? [outcome.right] : []));
          expect(made.filter(({ replayed }) => !replayed)).to.have.lengthOf(1);
          for (const outcome of pair) {
            if (outcome._tag === 'Left') expect(outcome.left._tag).to.equal('IdempotencyKeyReused');
          }
        }
        for (const repository of repositories) expect(await allPets(repository)).to.have.lengthOf(30);
      }));
  });
}
