import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { ApiKey, type Caller } from './api-keys';
import {
  type IdempotencyKeyInFlight,
  type IdempotencyKeyReused,
  type InvalidApiKey,
  invalidApiKey,
  type InvalidIdempotencyKey,
  type InvalidNewPet,
  type InvalidQuery,
  type PetDeleted,
  type PetNotFound,
  petNotFound,
  type QuotaExceeded,
  type ReadOnlyApiKey,
  type Unavailable,
} from './failures';
import { IdempotencyKey } from './idempotency';
import { decodeNewPet, decodePetQuery } from './inputs';
import type { Pet, PetPage, PetQuery } from './pets';
import type { CreatedPet, Deadline, PetRepository, Ports } from './ports';
import type { Quota } from './quota';
import { petRules } from './rules';
import { fieldCheck } from './validation';

/** Opens the store with an API key. With a rate limit, the call counts as one request of the key's owner. */
export type OpenAnimalStore = (
  apiKey: string,
  deadline?: Deadline,
) => TE.TaskEither<InvalidApiKey | QuotaExceeded | Unavailable, AnimalStore>;

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
   * Checks the API key again, to reject a key that was revoked after the store was opened, for example while a slow
   * request body arrived.
   */
  readonly checkKey: (deadline?: Deadline) => TE.TaskEither<InvalidApiKey | Unavailable, Caller>;
  /** State of the owner's rate limit after the store was opened, or undefined without a rate limit. */
  readonly quota: Quota | undefined;
}

/** Name of an operation. Adapters have records with these keys, so that the compiler reports a missing operation. */
export type OperationName = keyof PetOperations;

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
  pets: PetRepository,
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

/** Fails if the API key of the caller may only read. */
export const checkMayCreate = ({ isReadOnly }: Caller): E.Either<ReadOnlyApiKey, void> =>
  isReadOnly === true ? E.left({ _tag: 'ReadOnlyApiKey' }) : E.right(undefined);
