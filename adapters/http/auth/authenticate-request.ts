import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { AnimalStore, InvalidApiKey, OpenAnimalStore, Unavailable } from '../../../core';
import type { HttpRequest } from '../protocol/http-request';
import type { MissingApiKey } from '../responses/http-failures';
import { flatMap } from '../task-either';
import { bearerKey } from './bearer-key';

/** Opens the store with the key that a request shows. */
export const authenticateRequest =
  (openStore: OpenAnimalStore) =>
  ({
    message,
    deadline,
  }: HttpRequest): TE.TaskEither<MissingApiKey | InvalidApiKey | Unavailable, AnimalStore> =>
    pipe(
      TE.fromEither(bearerKey(message.headers.authorization)),
      flatMap((apiKey) => openStore(apiKey, deadline)),
    );
