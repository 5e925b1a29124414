import { randomBytes } from 'node:crypto';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import * as t from 'io-ts';
import { inMemoryApiKeys } from '../../adapters/in-memory';
import { type Database, knexPetRepository, migrate } from '../../adapters/knex';
import { type AnimalStore, ApiKey, KeyId, openAnimalStore } from '../../core';
import type { StartFailure } from '../failures/start-failure';

const Operator = t.type({ id: KeyId, key: ApiKey });

const enter = (database: Database): TE.TaskEither<StartFailure, AnimalStore> =>
  pipe(
    TE.fromEither(Operator.decode({ id: 'operator', key: randomBytes(32).toString('base64url') })),
    TE.flatMap(({ id, key }) =>
      openAnimalStore({
        pets: knexPetRepository(database),
        authenticate: inMemoryApiKeys([[id, key]]).authenticate,
      })(key),
    ),
    TE.mapLeft(() => ({ _tag: 'NoApiKey' })),
  );

/**
 * Opens the store for whoever runs a command: who has the database itself needs no key of it. The core opens
 * for a key alone, so the operator gets one that only this process knows.
 */
export const openAsOperator = (
  database: Database,
  onProgress: (text: string) => void,
): TE.TaskEither<StartFailure, AnimalStore> =>
  pipe(
    migrate(database, { onProgress }),
    TE.flatMap(() => enter(database)),
  );
