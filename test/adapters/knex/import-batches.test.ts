import { expect } from 'chai';
import type { Knex } from 'knex';
import { knexPetRepository } from '../../../adapters/knex';
import { CategoryId, type NewPet, PetName } from '../../../core';
import { decoded } from '../../contracts/outcome';
import { inTurn } from '../../support/databases/catalogue';
import { databaseKinds, withDatabase } from '../../support/databases/databases';
import { run } from '../../support/run';

const named = (name: string): NewPet => ({
  name: decoded(PetName, name),
  categoryId: decoded(CategoryId, 1n),
});

const isArrayOfPostgres = (binding: unknown): binding is { readonly toPostgres: () => unknown } =>
  typeof binding === 'object' && binding !== null && 'toPostgres' in binding;

/** A binding as the driver sends it. */
const asSent = (binding: unknown): unknown => (isArrayOfPostgres(binding) ? binding.toPostgres() : binding);

/** How many statements insert animals, and how long the longest of what they bind is. */
const watchInserts = (writes: Knex) => {
  const seen = { statements: 0, longest: 0 };
  writes.on('query', ({ sql, bindings = [] }: { sql: string; bindings?: ReadonlyArray<unknown> }) => {
    if (!sql.startsWith('insert into pets')) return;
    seen.statements += 1;
    seen.longest = Math.max(seen.longest, JSON.stringify(bindings.map(asSent)).length);
  });
  return seen;
};

describe('An import', function () {
  for (const [kind, makeDatabase] of databaseKinds) {
    it(`makes no statement of much more than a million characters: ${kind}`, () =>
      withDatabase(makeDatabase, async (database) => {
        const seen = watchInserts(database.writes);
        const { importAll } = knexPetRepository(database);
        expect(
          await run(importAll(inTurn(Array.from({ length: 40 }, () => named('x'.repeat(65_536)))))),
        ).to.equal(40);
        expect(seen.longest).to.be.within(900_000, 1_500_000);
      }));

    it(`makes few statements of small animals: ${kind}`, () =>
      withDatabase(makeDatabase, async (database) => {
        const seen = watchInserts(database.writes);
        const { importAll } = knexPetRepository(database);
        expect(await run(importAll(inTurn(Array.from({ length: 2_000 }, () => named('Rex')))))).to.equal(
          2_000,
        );
        expect(seen.statements).to.equal(5);
      }));
  }
});
