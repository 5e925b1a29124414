import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { apiKeyStore, knexAuthenticate, knexPetRepository } from '../../../../adapters/knex';
import { ApiKey } from '../../../../core';
import { decoded } from '../../../contracts/outcome';
import { databaseKinds, withDatabase } from '../../../support/databases/databases';
import { operationFacts, repositoryCalls } from '../../../support/databases/repository-calls';
import { run } from '../../../support/run';

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`a ${kind} database that is gone`, () => {
    it('lets nobody in whom it did not just know, and nobody at all after 5 seconds', () =>
      withDatabase(makeDatabase, async (database) => {
        const { issue } = apiKeyStore(database);
        const [seen, unseen] = [await run(issue('seen')), await run(issue('unseen'))];
        const authenticate = knexAuthenticate(database);
        await run(authenticate(decoded(ApiKey, seen.key)));
        await database.close();
        const gone = performance.now();

        const refusal = await authenticate(decoded(ApiKey, unseen.key))();
        expect(refusal).to.have.nested.property('left._tag', 'Unavailable');
        while ((await authenticate(decoded(ApiKey, seen.key))())._tag === 'Right') {
          expect(performance.now() - gone).to.be.below(5_000);
          await delay(50);
        }
      }));

    it('makes each operation Unavailable, without a word of SQL', () =>
      withDatabase(makeDatabase, async (database) => {
        const calls = repositoryCalls(knexPetRepository(database));
        await database.close();
        for (const [operation, call] of Object.entries(calls)) {
          const outcome = await call()();
          expect(outcome, operation).to.have.nested.property(
            'left._tag',
            operationFacts[operation]?.closedFailure,
          );
          expect(outcome, operation)
            .to.have.nested.property('left.cause.message')
            .that.does.not.match(/select|insert/i);
        }
      }));
  });
}
