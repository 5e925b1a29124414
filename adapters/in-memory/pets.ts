import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import {
  compareById,
  countToFind,
  type CreatedPet,
  decodeOrThrow,
  fingerprintOf,
  greatestInt64,
  type IdempotencyKeyReused,
  idempotencyTtlMs as defaultTtlMs,
  importAborted,
  isInt64,
  type ListOrder,
  type NewPet,
  passesFilters,
  type Pet,
  type PetChanges,
  PetCodec,
  type PetDeleted,
  type PetMaintenance,
  type PetNotFound,
  petNotFound,
  type PetPage,
  type PetQuery,
  type PetRepository,
  resolveIdempotentCreate,
  scopedIdempotencyKeyText,
  toPage,
  type Unavailable,
  unavailable,
  validNewPet,
  validPetChanges,
  validPetQuery,
  withChanges,
} from '../../core';

type Options = Readonly<{
  pets?: ReadonlyArray<Pet>;
  /** Returns the time in milliseconds, for the expiry of idempotency keys. The default is the system clock. */
  now?: () => number;
  /** Lifetime of an idempotency key. The default is 24 hours. */
  idempotencyTtlMs?: number;
}>;

type CreateResult = E.Either<IdempotencyKeyReused | PetDeleted | Unavailable, CreatedPet>;

/**
 * Makes an in-memory PetRepository and PetMaintenance, for tests and programs without a database. Throws a TypeError on
 * invalid `pets`.
 * @example const pets = inMemoryPetRepository({ pets: [{ id: 1n, name: 'Rex', categoryId: 7n }] });
 */
export const inMemoryPetRepository = ({
  pets = [],
  now = Date.now,
  idempotencyTtlMs = defaultTtlMs,
}: Options = {}): PetRepository & PetMaintenance => {
  let sorted = pets.map((pet) => Object.freeze(decodeOrThrow(PetCodec, pet))).sort(compareById);
  const twice = sorted.find(({ id }, index) => sorted[index - 1]?.id === id);
  if (twice !== undefined) throw new TypeError(`invalid pets: two animals have the id ${twice.id}`);
  const byId = new Map(sorted.map((pet) => [pet.id, pet]));
  const records = new Map<
    string,
    { readonly fingerprint: string; readonly id: bigint; readonly expiresAt: number }
  >();
  let lastId = sorted.at(-1)?.id ?? 0n;

  const page = ({ limit, after, order = 'asc', ...filters }: PetQuery): PetPage => {
    const found: Array<Pet> = [];
    const step = order === 'asc' ? 1 : -1;
    const end = order === 'asc' ? 0 : sorted.length - 1;
    let index = after === undefined ? end : indexNextTo(sorted, after, order);
    for (; index >= 0 && index < sorted.length && found.length < countToFind(limit); index += step) {
      const pet = sorted[index];
      if (pet !== undefined && passesFilters(filters, pet)) found.push(pet);
    }
    return toPage(limit, found);
  };

  const nextId = (): bigint => (lastId > 0n ? lastId + 1n : 1n);

  const add = (newPet: NewPet): E.Either<Unavailable, CreatedPet> => {
    const id = nextId();
    if (!isInt64(id)) return E.left(unavailable(new Error(noIdsLeft)));
    const pet = withId(id, newPet);
    sorted.push(pet);
    byId.set(id, pet);
    lastId = id;
    return E.right({ pet, replayed: false });
  };

  /** Deletes expired records. A Map keeps the order of insertion, so the oldest records come first. */
  const purgeExpired = (): void => {
    for (const [key, { expiresAt }] of records) {
      if (expiresAt > now()) return;
      records.delete(key);
    }
  };

  const addOnce = (newPet: NewPet, key: string): CreateResult => {
    purgeExpired();
    // Delete the expired record of this key, because `purgeExpired` can stop before it if the clock was set back.
    if ((records.get(key)?.expiresAt ?? Infinity) <= now()) records.delete(key);
    const record = records.get(key);
    const pet = record && byId.get(record.id);
    const fingerprint = fingerprintOf(newPet);
    const decision = resolveIdempotentCreate(record && { ...record, pet }, fingerprint);
    if (decision._tag === 'Replay') return E.right({ pet: decision.pet, replayed: true });
    if (decision._tag !== 'Create') return E.left(decision);
    const created = add(newPet);
    if (E.isLeft(created)) return created;
    records.set(key, { fingerprint, id: created.right.pet.id, expiresAt: now() + idempotencyTtlMs });
    return created;
  };

  const update = (id: bigint, changes: PetChanges): E.Either<PetNotFound | Unavailable, Pet> => {
    const checked = validPetChanges(changes);
    if (E.isLeft(checked)) return checked;
    const pet = byId.get(id);
    if (pet === undefined) return E.left(petNotFound(id));
    const changed = Object.freeze(withChanges(pet, checked.right));
    sorted[placeFrom(sorted, id)] = changed;
    byId.set(id, changed);
    return E.right(changed);
  };

  const deleteByIds = (ids: ReadonlyArray<bigint>): number => {
    const before = byId.size;
    for (const id of ids) byId.delete(id);
    sorted = sorted.filter(({ id }) => byId.has(id));
    return before - byId.size;
  };

  return {
    list: (query) => () => {
      return Promise.resolve(pipe(validPetQuery(query), E.map(page)));
    },
    find: (id) => () => Promise.resolve(E.fromNullable(petNotFound(id))(byId.get(id))),
    create:
      (newPet, { idempotency } = {}) =>
      () => {
        const checked = validNewPet(newPet);
        if (E.isLeft(checked)) return Promise.resolve(checked);
        return Promise.resolve(
          idempotency === undefined
            ? add(checked.right)
            : addOnce(checked.right, scopedIdempotencyKeyText(idempotency)),
        );
      },
    update: (id, changes) => () => Promise.resolve(update(id, changes)),
    deleteByIds: (ids) => TE.tryCatch(() => Promise.resolve([...ids]).then(deleteByIds), unavailable),
    importAll: (source, onIds) => async () => {
      try {
        const newPets = await requireValidPets(source);
        const firstId = nextId();
        const added = newPets.map((newPet, index) => withId(firstId + BigInt(index), newPet));
        const { id = lastId } = added.at(-1) ?? {};
        if (!isInt64(id)) return E.left(importAborted(noIdsLeft));
        // Reserve the ids, because creates may run while `onIds` is awaited.
        lastId = id;
        await onIds?.(added.map((pet) => pet.id));
        for (const pet of added) byId.set(pet.id, pet);
        sorted = [...sorted, ...added].sort(compareById);
        return E.right({ count: added.length, firstId: added[0]?.id, lastId: added.at(-1)?.id });
      } catch (cause) {
        return E.left(importAborted(cause));
      }
    },
  };
};

const requireValidPets = async (source: AsyncIterable<NewPet>): Promise<ReadonlyArray<NewPet>> => {
  const all: Array<NewPet> = [];
  for await (const newPet of source) {
    const checked = validNewPet(newPet);
    if (E.isLeft(checked)) throw checked.left.cause;
    all.push(checked.right);
  }
  return all;
};

/** Returns the number of animals whose ids are less than `id`. */
const placeFrom = (sorted: ReadonlyArray<Pet>, id: bigint): number => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const pet = sorted[middle];
    if (pet !== undefined && pet.id < id) low = middle + 1;
    else high = middle;
  }
  return low;
};

/**
 * Returns the index of the animal that follows the id `after` in this order, or an index outside the array if no animal
 * follows.
 */
const indexNextTo = (sorted: ReadonlyArray<Pet>, after: bigint, order: ListOrder): number =>
  order === 'asc' ? placeFrom(sorted, after + 1n) : placeFrom(sorted, after) - 1;

const withId = (id: bigint, newPet: NewPet): Pet => Object.freeze(Object.assign({ id }, newPet, { id }));

const noIdsLeft = `the id of a new animal would be greater than ${greatestInt64}, the largest int64`;
