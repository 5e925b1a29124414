import * as core from 'animal-store/core';
import { appendFileSync, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync } from 'node:fs';

/** A line of the journal: the animals that were added, and the idempotency key of a single one. */
interface Entry {
  readonly pets: ReadonlyArray<core.Pet>;
  readonly key?: string;
  readonly expiresAt?: number;
}

// JSON.parse reads a number as a double: an int64 keeps its digits in a string.
const toText = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
const fromText = (name: string, value: unknown) =>
  typeof value === 'string' && (name === 'id' || name === 'categoryId') ? BigInt(value) : value;

// The two outcomes of an operation.
const left = <E>(failure: E) => ({ _tag: 'Left', left: failure }) as const;
const right = <A>(answer: A) => ({ _tag: 'Right', right: answer }) as const;

/** Animals in a journal that belongs to one process at a time. */
export const journalRepository = (path: string, now: () => number = Date.now): core.PetRepository => {
  const file = openSync(path, 'a+');
  const text = readFileSync(path, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  // The process may have been killed while it wrote a line: that line does not count.
  ftruncateSync(file, Buffer.byteLength(whole));
  const lines = whole.split('\n').slice(0, -1);
  // eslint-disable-next-line @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-return -- its own journal
  const entries: Array<Entry> = lines.map((line) => JSON.parse(line, fromText));
  let pets: ReadonlyArray<core.Pet> = [];
  const records = new Map<string, { readonly pet: core.Pet | undefined; readonly expiresAt: number }>();

  const apply = ({ pets: added, key, expiresAt = 0 }: Entry): void => {
    pets = [...pets, ...added].sort((one, other) => (one.id < other.id ? -1 : 1));
    if (key !== undefined) records.set(key, { pet: added[0], expiresAt });
  };
  entries.forEach(apply);

  const write = (entry: Entry): void => {
    const { size } = fstatSync(file);
    try {
      appendFileSync(file, `${JSON.stringify(entry, toText)}\n`);
      fsyncSync(file);
    } catch (error) {
      ftruncateSync(file, size);
      throw error;
    }
    apply(entry);
  };

  const number = (newPets: ReadonlyArray<core.NewPet>): ReadonlyArray<core.Pet> => {
    const last = pets.at(-1)?.id ?? 0n;
    return newPets.map((newPet, index) =>
      core.decodeOrThrow(core.Pet, { ...newPet, id: last + BigInt(index) + 1n }),
    );
  };

  const create = (
    newPet: core.NewPet,
    key: string | undefined,
  ): core.CreatedPet | core.IdempotencyKeyReused => {
    const earlier = key === undefined ? undefined : records.get(key);
    const decision = core.resolveIdempotentCreate(earlier, newPet, now());
    if (decision._tag === 'IdempotencyKeyReused') return decision;
    if (decision._tag === 'Replay') return { pet: decision.pet, replayed: true };
    const [pet] = number([newPet]);
    if (pet === undefined) throw new Error('no animal was numbered');
    write({ pets: [pet], ...(key === undefined ? {} : { key, expiresAt: decision.expiresAt }) });
    return { pet, replayed: false };
  };

  return {
    list:
      ({ limit, after, ...filters }) =>
      async () => {
        const follow = pets.filter((pet) => after === undefined || pet.id > after);
        return right(
          core.toPage(
            limit,
            follow.filter((pet) => core.passesFilters(filters, pet)),
          ),
        );
      },
    find: (id) => async () => {
      const found = pets.find((pet) => pet.id === id);
      return found === undefined ? left(core.petNotFound(id)) : right(found);
    },
    create: (newPet, key) => async () => {
      try {
        const created = create(newPet, key && core.scopedIdempotencyKeyText(key));
        return '_tag' in created ? left(created) : right(created);
      } catch (error) {
        return left(core.unavailable(error));
      }
    },
    importAll: (source) => async () => {
      try {
        const newPets: Array<core.NewPet> = [];
        for await (const newPet of source) newPets.push(newPet);
        write({ pets: number(newPets) });
        return right(newPets.length);
      } catch (error) {
        return left(core.importAborted(error));
      }
    },
  };
};
