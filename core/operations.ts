import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { ApiKey, type Caller } from './api-keys';
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
  type InvalidApiKey,
  invalidApiKey,
  type PetNotFound,
  petNotFound,
  type PetRepository,
  type Unavailable,
} from './ports';
import type { Quota } from './quota';
import { defaultPageSize, listRules, newPetRules, pageSizeCheck, petRules } from './rules';
import { type Checked, fieldCheck, fieldChecks, type InvalidField, objectCheck } from './validation';

/** Ports of a store. Without `consumeQuota`, requests are not limited. */
export interface Ports {
  readonly pets: PetRepository;
  readonly authenticate: Authenticate;
  readonly consumeQuota?: ConsumeQuota | undefined;
}

/** Opens the store with an API key. With a rate limit, the call counts as one request of the key's owner. */
export type OpenAnimalStore = (
  apiKey: string,
  deadline?: Deadline,
) => TE.TaskEither<InvalidApiKey | QuotaExceeded | Unavailable, AnimalStore>;

/** Failure of opening the store: the owner of the API key has used up the quota. */
export interface QuotaExceeded {
  readonly _tag: 'QuotaExceeded';
  readonly caller: Caller;
  readonly quota: Quota;
}

/** Operations on animals. They check their arguments, ignore unknown fields, and pass the deadline on to the ports. */
export interface PetOperations {
  /** Reads one page of animals. The default of `limit` is 20. */
  readonly listPets: (
    query?: { readonly [Field in keyof PetQuery]?: unknown },
    deadline?: Deadline,
  ) => TE.TaskEither<InvalidQuery | Unavailable, PetPage>;
  /**
   * Adds an animal with the fields of a NewPet. An int64 may also be a safe integer (`Number.isSafeInteger`). A retry
   * with the same idempotency key adds no second animal, by default for 24 hours. After Unavailable, the animal may
   * have been added: retry with the same key. `unknownFields` names the ignored properties.
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
    CreatedPet & { readonly unknownFields: ReadonlyArray<string> }
  >;
  /**
   * Reads one animal by its id.
   * @deprecated Will be removed on 5 December 2030. Use `listPets` instead, with `id - 1n` as `after` and 1 as `limit`.
   */
  readonly getPet: (id: bigint, deadline?: Deadline) => TE.TaskEither<PetNotFound | Unavailable, Pet>;
}

/** Store of an authenticated caller. */
export interface AnimalStore extends PetOperations {
  readonly caller: Caller;
  /**
   * Checks the API key again, to reject a key that was revoked after the store was opened. The HTTP API calls it after
   * a slow request body.
   */
  readonly checkKey: (deadline?: Deadline) => TE.TaskEither<InvalidApiKey | Unavailable, Caller>;
  /** State of the owner's rate limit after the store was opened, or undefined without a rate limit. */
  readonly quota: Quota | undefined;
}

/** Name of an operation. Adapters have records with these keys, so that the compiler reports a missing operation. */
export type OperationName = keyof PetOperations;

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

type FailureOf<F> = F extends (...values: never) => TE.TaskEither<infer Failure, unknown> ? Failure : never;

/** Failure of opening the store, or of one of its operations. */
export type StoreFailure = FailureOf<OpenAnimalStore | AnimalStore[OperationName]>;

/**
 * Makes the function that opens the store of these ports. Only a valid API key gives access to the operations.
 * @example const openStore = storeOpener({ pets, authenticate });
 */
export const storeOpener =
  ({ pets, authenticate, consumeQuota }: Ports): OpenAnimalStore =>
  (apiKey, deadline) =>
  async () => {
    if (!ApiKey.is(apiKey)) return E.left(invalidApiKey('malformed'));
    const checkKey: AnimalStore['checkKey'] = (until) => authenticate(apiKey, until);
    const caller = await checkKey(deadline)();
    if (E.isLeft(caller)) return caller;
    if (consumeQuota === undefined) return E.right(storeOf(pets, caller.right, checkKey, undefined));
    const quota = await consumeQuota(caller.right.ownerId, deadline)();
    if (E.isLeft(quota)) return quota;
    return quota.right.isWithin
      ? E.right(storeOf(pets, caller.right, checkKey, quota.right))
      : E.left({ _tag: 'QuotaExceeded', caller: caller.right, quota: quota.right });
  };

const storeOf = (
  pets: Ports['pets'],
  caller: Caller,
  checkKey: AnimalStore['checkKey'],
  quota: Quota | undefined,
): AnimalStore => ({
  caller,
  checkKey,
  quota,
  listPets: (query = {}, deadline) => {
    const decoded = decodePetQuery(query);
    return E.isLeft(decoded) ? TE.fromEither(decoded) : pets.list(decoded.right, deadline);
  },
  createPet: (newPet, idempotencyKey, deadline) => {
    const allowed = checkMayCreate(caller);
    if (E.isLeft(allowed)) return TE.fromEither(allowed);
    if (idempotencyKey !== undefined && !IdempotencyKey.is(idempotencyKey))
      return TE.left({ _tag: 'InvalidIdempotencyKey' });
    const decoded = decodeNewPet(newPet);
    if (E.isLeft(decoded)) return TE.fromEither(decoded);
    const { value, unknownFields } = decoded.right;
    const idempotency =
      idempotencyKey === undefined ? undefined : { ownerId: caller.ownerId, idempotencyKey };
    return pipe(
      pets.create(value, { idempotency, createdBy: caller.keyId, deadline }),
      TE.map((created) => ({ unknownFields, ...created })),
    );
  },
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the API keeps getPet until 5 December 2030
  getPet: (id, deadline) => {
    const decoded = idCheck.decode(id);
    return typeof decoded === 'bigint' ? pets.find(decoded, deadline) : TE.left(petNotFound(id));
  },
});

const idCheck = fieldCheck(petRules.id);

const checkPetQuery = objectCheck<Partial<PetQuery>>({
  limit: pageSizeCheck,
  ...fieldChecks(listRules),
});

/** Decodes a query whose `limit` may be missing. */
export const decodePetQuery = (query: unknown): E.Either<InvalidQuery, PetQuery> =>
  pipe(
    checkPetQuery(query),
    E.bimap(
      (fields) => ({ _tag: 'InvalidQuery', fields }),
      ({ value }) => ({ limit: defaultPageSize, ...value }),
    ),
  );

const checkNewPet = objectCheck<NewPet>(fieldChecks(newPetRules));

/**
 * Decodes an animal to add, and names the properties that it ignores. Returns a copy, so that a program may change
 * `newPet` before the animal is stored.
 */
export const decodeNewPet = (newPet: unknown): E.Either<InvalidNewPet, Checked<NewPet>> =>
  pipe(
    checkNewPet(newPet),
    E.mapLeft((fields) => ({ _tag: 'InvalidNewPet', fields })),
  );

/** Fails if the API key of the caller may only read. */
export const checkMayCreate = ({ isReadOnly }: Caller): E.Either<ReadOnlyApiKey, void> =>
  isReadOnly === true ? E.left({ _tag: 'ReadOnlyApiKey' }) : E.right(undefined);
