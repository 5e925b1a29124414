import type { AnimalStore, Deadline, OpenAnimalStore, StoreFailure } from '../../core';
import { predicateCheck } from '../../core/validation';
import { describeStoreFailure } from '../failures';
import { AnimalStoreError, petNotFoundError } from './animal-store-error';
import { apiKeySourceCheck, callOptionChecks, int64Check, optionsValidator, readApiKey } from './arguments';
import { clientFactory, type Transport } from './client';
import type { ApiKeySource, CallOptions, ClientOptions } from './options';
import type { Attempt } from './retry';
import { isFunction } from './values';

/** Options of an embedded client: the store, the API key for all calls, and defaults for the options of each call. */
export interface EmbeddedClientOptions extends CallOptions, ClientOptions {
  /** Function that opens the store of this process, such as `storeOpener(ports)`. */
  readonly openStore: OpenAnimalStore;
  /** API key, or a function that each attempt calls for the current key. */
  readonly apiKey: ApiKeySource;
}

/**
 * Makes a client of a store in the same process, for programs that embed the store. The client has the same calls as a
 * client of a remote store. Each call checks the API key. The first call also checks the options.
 * @example const animals = embeddedClient({ openStore: storeOpener(ports), apiKey });
 */
export const embeddedClient = /* @__PURE__ */ clientFactory((options: EmbeddedClientOptions) => {
  const { openStore, apiKey, ...callOptions } = requireOptions(options);
  return { transport: embeddedTransport(openStore, apiKey), callOptions: { retryForMs, ...callOptions } };
});

/** Time for retries. It is short, because a store in the same process neither restarts nor reconnects. */
const retryForMs = 2_000;

const requireOptions = /* @__PURE__ */ optionsValidator<EmbeddedClientOptions>({
  ...callOptionChecks,
  openStore: { ...predicateCheck(isFunction, 'a function such as storeOpener(ports)'), required: true },
  apiKey: { ...apiKeySourceCheck, required: true },
  int64: int64Check,
});

const embeddedTransport = (openStore: OpenAnimalStore, apiKey: ApiKeySource): Transport => {
  const use = async <A>(
    { timeoutMs }: Attempt,
    operation: (store: AnimalStore, deadline: Deadline) => Task<A>,
  ): Promise<A> => {
    const deadline = performance.now() + timeoutMs + graceMs;
    const store = await rightOrThrow(openStore(await readApiKey(apiKey), deadline));
    return rightOrThrow(operation(store, deadline));
  };

  return {
    listPets: (query, attempt) => use(attempt, ({ listPets }, deadline) => listPets(query, deadline)),
    createPet: (newPet, idempotencyKey, attempt) =>
      use(attempt, ({ createPet }, deadline) => createPet(newPet, idempotencyKey, deadline)),
    getPet: (id, attempt) => use(attempt, ({ getPet }, deadline) => getPet(id, deadline)),
  };
};

/**
 * Time by which the store's deadline exceeds the client's timeout, so that a slow call fails with `timeout`, not with
 * `unavailable`.
 */
const graceMs = 50;

/** TaskEither of fp-ts. The client reads its results as plain objects, so that it need not load fp-ts. */
type Task<A> = () => Promise<
  { readonly _tag: 'Left'; readonly left: StoreFailure } | { readonly _tag: 'Right'; readonly right: A }
>;

const rightOrThrow = async <A>(task: Task<A>): Promise<A> => {
  const outcome = await task();
  if (outcome._tag === 'Right') return outcome.right;
  throw errorOf(outcome.left);
};

const errorOf = (failure: StoreFailure): AnimalStoreError => {
  if (failure._tag === 'PetNotFound') return petNotFoundError(failure.id);
  const { code, message, retryAfterMs } = describeStoreFailure(failure, 'idempotencyKey');
  const cause = 'cause' in failure ? failure.cause : undefined;
  return new AnimalStoreError(code, message, { retryAfterMs, cause });
};
