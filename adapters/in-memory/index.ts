import * as E from 'fp-ts/Either';
import { hash } from 'node:crypto';
import {
  ApiKey,
  type Authenticate,
  type Caller,
  callerOf,
  compareById,
  countToFind,
  type CreatedPet,
  decodeOrThrow,
  type IdempotencyKeyReused,
  importAborted,
  invalidApiKey,
  KeyId,
  NewPet,
  OwnerId,
  passesFilters,
  Pet,
  PetId,
  petNotFound,
  type PetPage,
  type PetQuery,
  type PetRepository,
  resolveIdempotentCreate,
  scopedIdempotencyKeyText,
  toPage,
  type Unavailable,
  unavailable,
} from '../../core';

type InMemoryApiKeys = Readonly<{
  authenticate: Authenticate;
  /**
   * Adds an API key. Keys with the same owner share idempotency keys and a quota. The default of `owner` is `id`.
   * Throws a TypeError if an argument is invalid.
   */
  add: (id: string, key: string, owner?: string) => void;
  revoke: (id: string) => void;
}>;

interface KnownKey {
  readonly keyHash: string;
  readonly caller: Caller;
  readonly isRevoked: boolean;
}

/** Returns the SHA-256 of a key. The time that a comparison of two hashes takes reveals nothing about the keys. */
const hashOf = (key: ApiKey): string => hash('sha256', key);

/**
 * Stores API keys in memory, such as those of the setting API_KEYS in app/backend/backend.ts. Each call compares the
 * given key with all stored keys, so add few.
 */
export const inMemoryApiKeys = (
  keys: Iterable<readonly [id: string, key: string, owner?: string]> = [],
): InMemoryApiKeys => {
  const known = new Map<string, KnownKey>();

  const add = (id: string, key: string, owner = id): void => {
    const caller = callerOf(decodeOrThrow(KeyId, id), decodeOrThrow(OwnerId, owner));
    known.set(id, { keyHash: hashOf(decodeOrThrow(ApiKey, key)), caller, isRevoked: false });
  };
  for (const [id, key, owner] of keys) add(id, key, owner);

  const authenticate: Authenticate = (asked) => () => {
    const keyHash = hashOf(asked);
    const found = [...known.values()].find((one) => one.keyHash === keyHash);
    if (found === undefined) return Promise.resolve(E.left(invalidApiKey('unknown')));
    const { caller, isRevoked } = found;
    return Promise.resolve(isRevoked ? E.left(invalidApiKey('revoked', caller.keyId)) : E.right(caller));
  };

  return {
    add,
    revoke: (id) => {
      const found = known.get(id);
      if (found !== undefined) known.set(id, { ...found, isRevoked: true });
    },
    authenticate,
  };
};

type Options = Readonly<{
  pets?: ReadonlyArray<Pet>;
  /** Clock in milliseconds for the expiry of idempotency keys, by default the system clock. */
  now?: () => number;
}>;

type CreateResult = E.Either<IdempotencyKeyReused | Unavailable, CreatedPet>;

const collect = async (source: AsyncIterable<NewPet>): Promise<ReadonlyArray<NewPet>> => {
  const all: Array<NewPet> = [];
  for await (const newPet of source) all.push(NewPet.encode(newPet));
  return all;
};

const noIdsLeft = 'the id of a new animal would be greater than 9223372036854775807, the largest int64';

/**
 * Stores animals in memory, for tests, for programs that need no persistence, and for `DATABASE_URL=memory:` in
 * app/backend/backend.ts.
 */
export const inMemoryPetRepository = ({ pets = [], now = Date.now }: Options = {}): PetRepository => {
  const sorted = pets.map((pet) => Object.freeze(decodeOrThrow(Pet, pet))).sort(compareById);
  const byId = new Map(sorted.map((pet) => [pet.id, pet]));
  const records = new Map<string, { readonly id: PetId; readonly expiresAt: number }>();
  let lastId = sorted.at(-1)?.id ?? 0n;

  const page = ({ limit, after, ...filters }: PetQuery): PetPage => {
    const found: Array<Pet> = [];
    for (const pet of sorted) {
      if (found.length === countToFind(limit)) break;
      if ((after === undefined || pet.id > after) && passesFilters(filters, pet)) found.push(pet);
    }
    return toPage(limit, found);
  };

  const nextId = (): bigint => (lastId > 0n ? lastId + 1n : 1n);

  const add = (newPet: NewPet): E.Either<Unavailable, CreatedPet> => {
    const id = nextId();
    if (!PetId.is(id)) return E.left(unavailable(new Error(noIdsLeft)));
    const pet = Object.freeze({ id, ...newPet });
    sorted.push(pet);
    byId.set(id, pet);
    lastId = id;
    return E.right({ pet, replayed: false });
  };

  const addOnce = (newPet: NewPet, key: string): CreateResult => {
    const record = records.get(key);
    const pet = record && byId.get(record.id);
    const decision = resolveIdempotentCreate(record && { ...record, pet }, newPet, now());
    if (decision._tag === 'IdempotencyKeyReused') return E.left(decision);
    if (decision._tag === 'Replay') return E.right({ pet: decision.pet, replayed: true });
    const created = add(newPet);
    if (E.isRight(created)) {
      records.set(key, { id: created.right.pet.id, expiresAt: decision.expiresAt });
    }
    return created;
  };

  return {
    list: (query) => () => Promise.resolve(E.right(page(query))),
    find: (id) => () => Promise.resolve(E.fromNullable(petNotFound(id))(byId.get(id))),
    create: (given, key) => async () => {
      const newPet = NewPet.encode(given);
      return Promise.resolve(
        key === undefined ? add(newPet) : addOnce(newPet, scopedIdempotencyKeyText(key)),
      );
    },
    importAll: (source) => async () => {
      try {
        const newPets = await collect(source);
        const lastOfThem = nextId() + BigInt(newPets.length - 1);
        if (!PetId.is(lastOfThem)) return E.left(importAborted(noIdsLeft));
        newPets.forEach(add);
        const added = sorted.slice(sorted.length - newPets.length);
        return E.right({ count: added.length, firstId: added[0]?.id, lastId: added.at(-1)?.id });
      } catch (cause) {
        return E.left(importAborted(cause));
      }
    },
  };
};
