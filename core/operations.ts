import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { ApiKey, type Caller } from './api-keys';
import { type InvalidField, invalidFieldsOf, NewPetCodec, PetQueryCodec } from './codec';
import {
  IdempotencyKey,
  type IdempotencyKeyInFlight,
  type IdempotencyKeyReused,
  type PetDeleted,
} from './idempotency';
import type { NewPet, Pet, PetPage, PetQuery } from './pets';
import {
  type Authenticate,
  type ConsumeQuota,
  type CreatedPet,
  type Deadline,
  type ImportAborted,
  type ImportedPets,
  type InvalidApiKey,
  invalidApiKey,
  type OnIds,
  type PetNotFound,
  petNotFound,
  type PetRepository,
  type Quota,
  type Unavailable,
} from './ports';
import { defaultPageSize, int64Rule, maxPageSize } from './rules';

/** Failure of a list: the query has fields with invalid values. */
export interface InvalidQuery {
  readonly _tag: 'InvalidQuery';
  readonly fields: ReadonlyArray<InvalidField>;
}

/** Failure of a create: the animal lacks fields, or has fields with invalid values. */
export interface InvalidNewPet {
  readonly _tag: 'InvalidNewPet';
  readonly fields: ReadonlyArray<InvalidField>;
}

/** Failure of a create: the API key may only read. */
export interface ReadOnlyApiKey {
  readonly _tag: 'ReadOnlyApiKey';
}

/** Failure of a create: the idempotency key is not 1 to 255 printable ASCII characters. */
export interface InvalidIdempotencyKey {
  readonly _tag: 'InvalidIdempotencyKey';
}

/** Failure of opening the store: the owner of the API key has used up the quota. */
export interface QuotaExceeded {
  readonly _tag: 'QuotaExceeded';
  readonly caller: Caller;
  readonly quota: Quota;
}

/**
 * Operations of an authenticated caller. They check their arguments, ignore fields that they don't know, and pass the
 * deadline on to the ports.
 */
export interface AnimalStore {
  readonly caller: Caller;
  /** State of the rate limit after this opening, if the store has one. */
  readonly quota: Quota | undefined;
  /** Reads one page of at most `limit` animals, by default 20. */
  readonly listPets: (
    query?: { readonly [Field in keyof PetQuery]?: unknown },
    deadline?: Deadline,
  ) => TE.TaskEither<InvalidQuery | Unavailable, PetPage>;
  /**
   * Adds a NewPet. A safe integer is accepted as an int64. A retry with the same idempotency key within 24 hours adds
   * no second animal. A create that fails with Unavailable may still have added its animal: retry it with the same key.
   */
  readonly createPet: (
    newPet: unknown,
    idempotencyKey?: string,
    deadline?: Deadline,
  ) => TE.TaskEither<
    | ReadOnlyApiKey
    | InvalidNewPet
    | InvalidIdempotencyKey
    | IdempotencyKeyReused
    | PetDeleted
    | IdempotencyKeyInFlight
    | Unavailable,
    CreatedPet
  >;
  /**
   * Reads one animal by its id.
   * @deprecated Will be removed on 5 December 2030. Use `listPets` instead, with the previous id as `after` and 1 as
   * `limit`.
   */
  readonly getPet: (id: bigint, deadline?: Deadline) => TE.TaskEither<PetNotFound | Unavailable, Pet>;
}

/** Name of an operation of the store. Adapters index their code by it, so that the compiler finds a missing one. */
export type OperationName = Exclude<keyof AnimalStore, 'caller' | 'quota'>;

/** Opens the store with an API key, and counts one request of its owner. */
export type OpenAnimalStore = (
  apiKey: string,
  deadline?: Deadline,
) => TE.TaskEither<InvalidApiKey | QuotaExceeded | Unavailable, AnimalStore>;

/** Ports of a store. Without `consumeQuota`, requests are not limited. */
export interface Ports {
  readonly pets: PetRepository;
  readonly authenticate: Authenticate;
  readonly consumeQuota?: ConsumeQuota | undefined;
}

const decodeQuery = (query: unknown): E.Either<InvalidQuery, PetQuery> =>
  pipe(
    PetQueryCodec.decode(query),
    E.bimap(
      (errors) => ({ _tag: 'InvalidQuery', fields: invalidFieldsOf(errors) }),
      (decoded) => ({ limit: defaultPageSize, ...decoded }),
    ),
  );

/** Decodes an animal to add. Returns a copy, so that the caller may change its own object while the store waits. */
export const decodeNewPet = (newPet: unknown): E.Either<InvalidNewPet, NewPet> =>
  pipe(
    NewPetCodec.decode(newPet),
    E.mapLeft((errors) => ({ _tag: 'InvalidNewPet', fields: invalidFieldsOf(errors) })),
  );

/** Checks that a caller may add animals. */
export const checkMayCreate = ({ isReadOnly }: Caller): E.Either<ReadOnlyApiKey, void> =>
  isReadOnly === true ? E.left({ _tag: 'ReadOnlyApiKey' }) : E.right(undefined);

const operationsOf = (pets: PetRepository, caller: Caller, quota: Quota | undefined): AnimalStore => ({
  caller,
  quota,
  listPets: (query = {}, deadline) => {
    const decoded = decodeQuery(query);
    return E.isLeft(decoded) ? TE.fromEither(decoded) : pets.list(decoded.right, deadline);
  },
  createPet: (newPet, idempotencyKey, deadline) => {
    const allowed = checkMayCreate(caller);
    if (E.isLeft(allowed)) return TE.fromEither(allowed);
    const decoded = decodeNewPet(newPet);
    if (E.isLeft(decoded)) return TE.fromEither(decoded);
    if (idempotencyKey === undefined) return pets.create(decoded.right, undefined, deadline);
    if (!IdempotencyKey.is(idempotencyKey)) return TE.left({ _tag: 'InvalidIdempotencyKey' });
    return pets.create(decoded.right, { ownerId: caller.ownerId, idempotencyKey }, deadline);
  },
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the API keeps getPet until 5 December 2030
  getPet: (id, deadline) => (int64Rule.holds(id) ? pets.find(id, deadline) : TE.left(petNotFound(id))),
});

/** Makes a store from its ports. Only an API key that `authenticate` accepts gives access to the operations. */
export const openAnimalStore =
  ({ pets, authenticate, consumeQuota }: Ports): OpenAnimalStore =>
  (apiKey, deadline) =>
  async () => {
    if (!ApiKey.is(apiKey)) return E.left(invalidApiKey('malformed'));
    const caller = await authenticate(apiKey, deadline)();
    if (E.isLeft(caller)) return caller;
    if (consumeQuota === undefined) return E.right(operationsOf(pets, caller.right, undefined));
    const quota = await consumeQuota(caller.right.ownerId, deadline)();
    if (E.isLeft(quota)) return quota;
    return quota.right.isWithin
      ? E.right(operationsOf(pets, caller.right, quota.right))
      : E.left({ _tag: 'QuotaExceeded', caller: caller.right, quota: quota.right });
  };

/**
 * Decodes the animals of a source. Calls `onInvalid` for each invalid one and leaves it out. `onInvalid` may throw, to
 * end the source.
 */
export async function* decodeNewPets(
  newPets: Iterable<unknown> | AsyncIterable<unknown>,
  onInvalid: (failure: InvalidNewPet) => void,
): AsyncGenerator<NewPet> {
  for await (const newPet of newPets) {
    const decoded = decodeNewPet(newPet);
    if (E.isRight(decoded)) yield decoded.right;
    else onInvalid(decoded.left);
  }
}

/**
 * Adds all animals of a source or none, and returns their number and ids. Needs no API key, only the repository. An
 * invalid animal ends the import with InvalidNewPet. With `onInvalid`, which receives the failure, the animal is left
 * out instead. `onIds` gets the new ids before the animals are stored, and may reject, to end the import. Fails with
 * ImportAborted, and stores no animal, if the source throws or the store rejects the import. Fails with Unavailable if
 * the store does not confirm the commit; then either all animals are stored or none.
 */
export const importAll =
  (
    pets: PetRepository,
    newPets: Iterable<unknown> | AsyncIterable<unknown>,
    onInvalid?: (failure: InvalidNewPet) => void,
    onIds?: OnIds,
  ): TE.TaskEither<InvalidNewPet | ImportAborted | Unavailable, ImportedPets> =>
  async () => {
    const invalid: Array<InvalidNewPet> = [];
    const stop = (failure: InvalidNewPet): void => {
      invalid.push(failure);
      throw new Error('the source has an invalid animal');
    };
    const decoded = decodeNewPets(newPets, onInvalid ?? stop);
    const imported = await pets.importAll({ [Symbol.asyncIterator]: () => decoded }, onIds)();
    const [failure] = invalid;
    return E.isLeft(imported) && failure !== undefined ? E.left(failure) : imported;
  };

/**
 * Reads a list page by page, with 100 animals on a page if the query has no limit. Animals that are added during the
 * walk may appear on later pages. Ends after the first page that is Unavailable.
 */
export async function* walkPages(
  list: PetRepository['list'],
  query: Partial<PetQuery> = {},
): AsyncGenerator<E.Either<Unavailable, PetPage>> {
  const { limit = maxPageSize } = query;
  let { after } = query;
  do {
    const page = await list({ ...query, limit, after })();
    // Read the id before the yield, because the consumer may sort or empty the array of animals.
    after = E.isRight(page) && page.right.hasMore ? page.right.pets.at(-1)?.id : undefined;
    yield page;
  } while (after !== undefined);
}
