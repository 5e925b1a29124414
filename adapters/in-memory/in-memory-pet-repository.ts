import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import {
  type CreatedPet,
  type CreationKey,
  creationKeyText,
  idempotencyKeyReused,
  type ImportAborted,
  importAborted,
  isSameNewPet,
  type NewPet,
  type Pet,
  PetId,
  petNotFound,
  type PetPage,
  type PetQuery,
  type PetRepository,
  retentionOfCreationKeys,
  unavailable,
} from '../../core';
import { steadyNow } from './steady-now';

interface KeptCreation {
  readonly pet: Pet;
  readonly keptUntil: number;
}

interface Options {
  /** Animals that are there from the start. */
  readonly pets?: ReadonlyArray<Pet>;
  /** The time in milliseconds since 1970; after it creation keys expire. */
  readonly now?: () => number;
}

const byId = (one: Pet, other: Pet): number => (one.id < other.id ? -1 : 1);

const collect = async <A>(source: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = [];
  for await (const one of source) all.push(one);
  return all;
};

/** A repository in this process's memory: for tests, and for a service that may forget. */
export const inMemoryPetRepository = ({ pets = [], now = steadyNow }: Options = {}): PetRepository => {
  const sorted = [...pets].sort(byId);
  const found = new Map(sorted.map((pet) => [pet.id, pet]));
  const kept = new Map<string, KeptCreation>();

  const firstAfter = (after: PetId | undefined): number => {
    let low = 0;
    let high = after === undefined ? 0 : sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const pet = sorted[middle];
      if (pet !== undefined && after !== undefined && pet.id <= after) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  const page = ({ limit, after, status }: PetQuery): PetPage => {
    const wanted: Array<Pet> = [];
    for (let index = firstAfter(after); index < sorted.length && wanted.length <= limit; index += 1) {
      const pet = sorted[index];
      if (pet !== undefined && (status === undefined || pet.status === status)) wanted.push(pet);
    }
    return { pets: wanted.slice(0, limit), hasMore: wanted.length > limit };
  };

  const nextId = (): bigint => {
    const last = sorted.at(-1)?.id ?? 0n;
    return last > 0n ? last + 1n : 1n;
  };

  const add = (newPet: NewPet) =>
    pipe(
      PetId.decode(nextId()),
      E.bimap(
        () => unavailable(new Error('every id is taken')),
        (id): Pet => {
          const pet = { ...newPet, id };
          sorted.push(pet);
          found.set(id, pet);
          return pet;
        },
      ),
    );

  /** Stops at the first that is kept on: the oldest come first, unless the clock jumped. */
  const forgetExpired = (): void => {
    for (const [key, { keptUntil }] of kept) {
      if (keptUntil > now()) return;
      kept.delete(key);
    }
  };

  const keep = (key: string, creation: KeptCreation): void => {
    kept.delete(key);
    kept.set(key, creation);
  };

  const create = (newPet: NewPet, key?: CreationKey) => {
    forgetExpired();
    const earlier = key && kept.get(creationKeyText(key));
    if (earlier !== undefined && earlier.keptUntil > now()) {
      return isSameNewPet(earlier.pet, newPet)
        ? E.right({ pet: earlier.pet, replayed: true })
        : E.left(idempotencyKeyReused);
    }
    return pipe(
      add(newPet),
      E.map((pet): CreatedPet => {
        if (key) keep(creationKeyText(key), { pet, keptUntil: now() + retentionOfCreationKeys });
        return { pet, replayed: false };
      }),
    );
  };

  const addAll = (newPets: ReadonlyArray<NewPet>): E.Either<ImportAborted, number> => {
    if (!PetId.is(nextId() + BigInt(newPets.length - 1))) return E.left(importAborted('every id is taken'));
    newPets.forEach(add);
    return E.right(newPets.length);
  };

  return {
    list: (query) => TE.fromIO(() => page(query)),
    find: (id) => TE.fromIOEither(() => pipe(found.get(id), E.fromNullable(petNotFound(id)))),
    create: (newPet, key) => () => Promise.resolve(create(newPet, key)),
    createAll: (newPets) =>
      pipe(
        TE.tryCatch(() => collect(newPets), importAborted),
        TE.flatMapEither(addAll),
      ),
  };
};
