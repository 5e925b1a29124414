import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import {
  countToFind,
  type CreatedPet,
  type ScopedIdempotencyKey,
  scopedIdempotencyKeyText,
  resolveIdempotentCreate,
  decodeOrThrow,
  type IdempotencyKeyReused,
  type ImportAborted,
  importAborted,
  NewPet,
  ordPetById,
  passesFilters,
  Pet,
  PetId,
  petNotFound,
  type PetPage,
  type PetQuery,
  type PetRepository,
  toPage,
  type Unavailable,
  unavailable,
} from '../../core';

interface Options {
  /** Initial animals. */
  readonly pets?: ReadonlyArray<Pet>;
  /** Clock in milliseconds for the expiry of idempotency keys. The default is monotonic. */
  readonly now?: () => number;
}

type Created = E.Either<IdempotencyKeyReused | Unavailable, CreatedPet>;

/** Encodes each animal, which drops unknown fields. */
const collect = async (source: AsyncIterable<NewPet>): Promise<ReadonlyArray<NewPet>> => {
  const all: Array<NewPet> = [];
  for await (const newPet of source) all.push(NewPet.encode(newPet));
  return all;
};

/** Keeps animals in memory, for tests and for services without persistence. */
export const inMemoryPetRepository = ({
  pets = [],
  now = () => performance.now(),
}: Options = {}): PetRepository => {
  const sorted = pets.map((pet) => Object.freeze(decodeOrThrow(Pet, pet))).sort(ordPetById.compare);
  const found = new Map(sorted.map((pet) => [pet.id, pet]));
  const kept = new Map<string, { readonly id: PetId; readonly expiresAt: number }>();
  let lastId = sorted.at(-1)?.id ?? 0n;

  const firstAfter = (after: PetId): number => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const pet = sorted[middle];
      if (pet !== undefined && pet.id <= after) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  const page = ({ limit, after, ...filters }: PetQuery): PetPage => {
    const wanted: Array<Pet> = [];
    for (
      let index = after === undefined ? 0 : firstAfter(after);
      index < sorted.length && wanted.length < countToFind(limit);
      index += 1
    ) {
      const pet = sorted[index];
      if (pet !== undefined && passesFilters(filters, pet)) wanted.push(pet);
    }
    return toPage(limit, wanted);
  };

  const nextId = (): bigint => (lastId > 0n ? lastId + 1n : 1n);

  const add = (newPet: NewPet): Created =>
    pipe(
      PetId.decode(nextId()),
      E.bimap(
        () => unavailable(new Error('every id is taken')),
        (id) => {
          // Frozen, because the caller gets the stored object.
          const pet = Object.freeze({ id, ...newPet });
          sorted.push(pet);
          found.set(id, pet);
          lastId = id;
          return { pet, replayed: false };
        },
      ),
    );

  /** Stops at the first key that has not expired, since the oldest come first. */
  const forgetExpired = (): void => {
    for (const [key, { expiresAt }] of kept) {
      if (expiresAt > now()) return;
      kept.delete(key);
    }
  };

  const createOnce = (newPet: NewPet, key: string): Created => {
    forgetExpired();
    const record = kept.get(key);
    const decision = resolveIdempotentCreate(
      record && { ...record, pet: found.get(record.id) },
      newPet,
      now(),
    );
    switch (decision._tag) {
      case 'IdempotencyKeyReused':
        return E.left(decision);
      case 'Replay':
        return E.right({ pet: decision.pet, replayed: true });
      case 'Create':
        return pipe(
          add(newPet),
          E.map((created) => {
            kept.set(key, { id: created.pet.id, expiresAt: decision.expiresAt });
            return created;
          }),
        );
    }
  };

  const create = (given: NewPet, key: ScopedIdempotencyKey | undefined): Created => {
    const newPet = NewPet.encode(given);
    return key === undefined ? add(newPet) : createOnce(newPet, scopedIdempotencyKeyText(key));
  };

  const addAll = (newPets: ReadonlyArray<NewPet>): E.Either<ImportAborted, number> => {
    if (!PetId.is(nextId() + BigInt(newPets.length - 1))) return E.left(importAborted('every id is taken'));
    newPets.forEach(add);
    return E.right(newPets.length);
  };

  return {
    list: (query) => () => Promise.resolve(E.right(page(query))),
    find: (id) => () => Promise.resolve(E.fromNullable(petNotFound(id))(found.get(id))),
    create: (newPet, key) => () => Promise.resolve(create(newPet, key)),
    importAll: (source) => async () => {
      try {
        return addAll(await collect(source));
      } catch (cause) {
        return E.left(importAborted(cause));
      }
    },
  };
};
