import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import {
  type AnimalStoreClient,
  AnimalStoreError,
  type AnimalStoreErrorCode,
  type ApiKeySource,
  type Attempt,
  callChecks,
  type CallOptions,
  checkApiKeySource,
  checkArguments,
  clientOver,
  isFunction,
  readApiKey,
  type Transport,
  when,
} from './client';
import { decodeOrThrow } from './codec';
import { ApiKey, IdempotencyKey } from './keys';
import type { AnimalStore, OpenAnimalStore } from './operations';
import { ListPetsQuery, NewPet, PetId } from './pets';
import type {
  Deadline,
  IdempotencyKeyInFlight,
  IdempotencyKeyReused,
  InvalidApiKey,
  PetNotFound,
  PetRepository,
  Unavailable,
} from './ports';

type Failure = IdempotencyKeyInFlight | IdempotencyKeyReused | InvalidApiKey | PetNotFound | Unavailable;

/**
 * Time by which the deadline of the store exceeds the client's timeout of an attempt. The client's timeout therefore
 * comes first, and the call fails with `timeout` rather than `unavailable`.
 */
const graceMs = 50;

const describe = (failure: Failure): readonly [code: AnimalStoreErrorCode, message: string] => {
  switch (failure._tag) {
    case 'IdempotencyKeyInFlight':
      return ['idempotency_key_in_flight', 'a create with this idempotency key is in progress; try again'];
    case 'IdempotencyKeyReused':
      return ['idempotency_key_reused', 'this idempotency key is of a different animal; use a new key'];
    case 'InvalidApiKey':
      return ['unauthorized', 'the API key is unknown, expired or revoked; use a valid key'];
    case 'PetNotFound':
      return ['pet_not_found', `pet not found: no animal has the id ${failure.id}`];
    case 'Unavailable':
      return ['unavailable', 'the store is unavailable (see cause); retry, with the same idempotencyKey'];
  }
};

const rightOrThrow = async <A>(task: TaskEither<Failure, A>): Promise<A> => {
  const outcome = await task();
  if (E.isRight(outcome)) return outcome.right;
  const cause = outcome.left._tag === 'Unavailable' ? outcome.left.cause : undefined;
  throw new AnimalStoreError(...describe(outcome.left), { cause });
};

/** Options of an embedded client: the store, the API key for all calls, and defaults for the options of each call. */
export interface EmbeddedClientOptions extends CallOptions {
  readonly openStore: OpenAnimalStore;
  readonly apiKey: ApiKeySource;
}

/**
 * Makes a client of a store in the same process, for programs that embed the store. The client has the same calls as a
 * client of a remote store. Each call checks the API key. Throws an AnimalStoreError if an option is invalid.
 */
export const embeddedClient = (options: EmbeddedClientOptions): AnimalStoreClient => {
  const { openStore, apiKey, ...callOptions } = checkArguments<EmbeddedClientOptions>('options', options, {
    ...callChecks,
    openStore: when(isFunction, 'a function such as openAnimalStore(ports)'),
    apiKey: checkApiKeySource,
  });

  const use = async <A>(
    { timeoutMs }: Attempt,
    operation: (store: AnimalStore, deadline: Deadline) => TaskEither<Failure, A>,
  ): Promise<A> => {
    const deadline = performance.now() + timeoutMs + graceMs;
    const key = decodeOrThrow(ApiKey, await readApiKey(apiKey));
    const store = await rightOrThrow(openStore(key, deadline));
    return rightOrThrow(operation(store, deadline));
  };

  // The type makes the compiler report a function that the port has and this object lacks. `importAll` is no call of a
  // client, because it needs no API key.
  const transport: Transport & Readonly<Record<Exclude<keyof PetRepository, 'importAll'>, unknown>> = {
    list: (query, attempt) =>
      use(attempt, ({ listPets }, deadline) => listPets(decodeOrThrow(ListPetsQuery, query), deadline)),
    create: (newPet, idempotencyKey, attempt) =>
      use(attempt, ({ createPet }, deadline) =>
        createPet(decodeOrThrow(NewPet, newPet), decodeOrThrow(IdempotencyKey, idempotencyKey), deadline),
      ),
    find: (id, attempt) => use(attempt, ({ getPet }, deadline) => getPet(decodeOrThrow(PetId, id), deadline)),
  };
  return clientOver(transport, callOptions);
};
