import { randomBytes } from 'node:crypto';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { knexPetRepository } from '../../adapters/knex';
import { type AnimalStore, ApiKey, decodeOrThrow, openAnimalStore } from '../../core';
import type { StartFailure } from '../failures/start-failure';
import { environmentKeys } from './environment-keys';
import { withDatabase } from './with-database';

/**
 * Uses the store of the settings for whoever runs a command: who has the database itself needs no key of it. The core
 * opens for a key alone, so the operator gets one that only this process knows.
 */
export const asOperator = <F, A>(
  options: { readonly onProgress: (text: string) => void; readonly interruption: AbortSignal },
  use: (store: AnimalStore) => TE.TaskEither<F, A>,
) =>
  withDatabase(options, (database) => {
    const key = decodeOrThrow(ApiKey, randomBytes(32).toString('base64url'));
    const { authenticate } = environmentKeys([key]);
    return pipe(
      openAnimalStore({ pets: knexPetRepository(database), authenticate })(key),
      TE.mapLeft((): StartFailure => ({ _tag: 'NoApiKey' })),
      TE.flatMap(use),
    );
  });
