import { pipe } from 'fp-ts/function';
import type * as TE from 'fp-ts/TaskEither';
import type { Context } from 'koa';
import type { AnimalStore, InvalidApiKey, OpenAnimalStore, Unavailable } from '../../../core';
import { andMap } from '../and-map';
import { andThen } from '../and-then';
import { bearerKey } from './bearer-key';
import type { MissingApiKey } from '../responses/http-failures';

/** Opens the store with the key that a request shows; its id goes to the log. */
export const authenticateRequest =
  (openStore: OpenAnimalStore) =>
  (context: Context): TE.TaskEither<MissingApiKey | InvalidApiKey | Unavailable, AnimalStore> =>
    pipe(
      bearerKey(context.headers.authorization),
      andThen(openStore),
      andMap((store) => {
        context.state['keyId'] = store.keyId;
        return store;
      }),
    );
