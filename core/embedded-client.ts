import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import { AnimalStoreError } from './animal-store-error';
import { type AnimalStoreClient, clientOver, type Transport, type TransportPage } from './client';
import { ApiKey } from './keys';
import type { AnimalStore, OpenAnimalStore } from './operations';
import type { PetQuery } from './pet-query';
import {
  type Deadline,
  type IdempotencyKeyInFlight,
  type IdempotencyKeyReused,
  type InvalidApiKey,
  invalidApiKey,
  type PetNotFound,
  type Unavailable,
} from './ports';
import type { Attempt } from './retry';
import { clientTimeouts } from './timeouts';

type Failure = IdempotencyKeyInFlight | IdempotencyKeyReused | InvalidApiKey | PetNotFound | Unavailable;

const toError = (failure: Failure): AnimalStoreError => {
  switch (failure._tag) {
    case 'IdempotencyKeyInFlight':
      return new AnimalStoreError(
        'idempotency_key_in_flight',
        'a create with this idempotency key is still in progress; try again',
      );
    case 'IdempotencyKeyReused':
      return new AnimalStoreError(
        'idempotency_key_reused',
        'this idempotency key was already used for a different animal; use a new key',
      );
    case 'InvalidApiKey':
      return new AnimalStoreError(
        'unauthorized',
        'the API key is unknown, expired or revoked; use a valid key',
      );
    case 'PetNotFound':
      return new AnimalStoreError('pet_not_found', 'pet not found');
    case 'Unavailable':
      return new AnimalStoreError(
        'unavailable',
        'the store is temporarily unavailable (see cause); try again, but repeat a create only with the same idempotencyKey',
        { cause: failure.cause },
      );
  }
};

const rightOrThrow = async <A>(task: TaskEither<Failure, A>): Promise<A> => {
  const outcome = await task();
  if (E.isLeft(outcome)) throw toError(outcome.left);
  return outcome.right;
};

/**
 * Makes a client of a store in the same process, for programs that embed the store. The client has the same calls as a
 * client of a remote store. Each call checks the API key.
 */
export const embeddedClient = ({
  openStore,
  apiKey,
}: {
  readonly openStore: OpenAnimalStore;
  readonly apiKey: string;
}): AnimalStoreClient => {
  const use = async <A>(
    { timeoutMs }: Attempt,
    operation: (store: AnimalStore, deadline: Deadline) => TaskEither<Failure, A>,
  ): Promise<A> => {
    if (!ApiKey.is(apiKey)) throw toError(invalidApiKey('unknown'));
    const deadline = performance.now() + timeoutMs + clientTimeouts.graceMs;
    const store = await rightOrThrow(openStore(apiKey, deadline));
    return rightOrThrow(operation(store, deadline));
  };

  const list = async (query: PetQuery, attempt: Attempt): Promise<TransportPage> => {
    const { pets, hasMore } = await use(attempt, ({ listPets }, deadline) => listPets(query, deadline));
    const after = hasMore ? pets.at(-1)?.id : undefined;
    return {
      pets,
      next: after === undefined ? undefined : (nextAttempt) => list({ ...query, after }, nextAttempt),
    };
  };

  const transport: Transport = {
    list,
    create: (newPet, idempotencyKey, attempt) =>
      use(attempt, ({ createPet }, deadline) => createPet(newPet, idempotencyKey, deadline)),
    find: (id, attempt) => use(attempt, ({ getPet }, deadline) => getPet(id, deadline)),
  };
  return clientOver(transport);
};
