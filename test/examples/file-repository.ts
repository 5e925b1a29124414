import * as core from 'animal-store/core';
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import * as t from 'io-ts';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';

const UsedKey = t.type({ name: t.string, fingerprint: t.string, id: t.bigint, expiresAt: t.number });
const Content = t.type({
  pets: t.readonlyArray(core.PetCodec),
  keys: t.readonlyArray(UsedKey),
  lastId: t.bigint,
});
type Content = t.TypeOf<typeof Content>;

/** Replaces the file as a whole, so that a crash leaves either the old or the new content. */
export const save = (file: string, pets: Content['pets'], others: Partial<Content> = {}): void => {
  const content = { keys: [], lastId: pets.at(-1)?.id ?? 0n, ...others, pets };
  writeFileSync(`${file}.new`, serialize(content), { flush: true });
  renameSync(`${file}.new`, file);
};

/** Stores animals in a file, sorted by id. Only one process may use the file. */
export const fileRepository = (file: string, now = Date.now): core.PetRepository & core.PetMaintenance => {
  if (!existsSync(file)) save(file, []);
  let content = core.decodeOrThrow(Content, deserialize(readFileSync(file)));

  // Saves first, so that no reader sees a change that a restart would lose.
  const replace = (changes: Partial<Content>): void => {
    const next = { ...content, ...changes };
    save(file, next.pets, next);
    content = next;
  };
  /** Returns an animal with a new id. Never assigns the id of a deleted animal again. */
  const withId = (newPet: core.NewPet): core.Pet => {
    const pet = core.decodeOrThrow(core.PetCodec, { ...newPet, id: content.lastId + 1n });
    content = { ...content, lastId: pet.id };
    return pet;
  };
  const byId = (one: core.Pet, other: core.Pet) => (one.id < other.id ? -1 : 1);
  const findPet = (id?: bigint) => content.pets.find((pet) => pet.id === id);

  return {
    list: (query) => async () => {
      const isDescending = query.order === 'desc';
      const follows = ({ id }: core.Pet) =>
        query.after === undefined || (isDescending ? id < query.after : id > query.after);
      const wanted = content.pets.filter((pet) => follows(pet) && core.passesFilters(query, pet));
      return E.right(core.toPage(query.limit, isDescending ? wanted.reverse() : wanted));
    },
    find: (id) => async () => E.fromNullable(core.petNotFound(id))(findPet(id)),
    create:
      (newPet, { idempotency } = {}) =>
      async () => {
        const name = idempotency && core.scopedIdempotencyKeyText(idempotency);
        const valid = content.keys.filter((one) => one.expiresAt > now());
        const used = valid.find((one) => one.name === name);
        const fingerprint = core.fingerprintOf(newPet);
        const record = used && { ...used, pet: findPet(used.id) };
        const decision = core.resolveIdempotentCreate(record, fingerprint);
        if (decision._tag === 'Replay') return E.right({ pet: decision.pet, replayed: true });
        if (decision._tag !== 'Create') return E.left(decision);
        return E.tryCatch(() => {
          const pet = withId(newPet);
          const expiresAt = now() + core.idempotencyTtlMs;
          const key = { name: name ?? '', fingerprint, id: pet.id, expiresAt };
          replace({ pets: [...content.pets, pet], keys: name === undefined ? valid : [...valid, key] });
          return { pet, replayed: false };
        }, core.unavailable);
      },
    update: (id, changes) => async () => {
      const pet = findPet(id);
      if (pet === undefined) return E.left(core.petNotFound(id));
      return E.tryCatch(() => {
        const changed = core.withChanges(pet, changes);
        replace({ pets: content.pets.map((one) => (one === pet ? changed : one)) });
        return changed;
      }, core.unavailable);
    },
    deleteByIds: (ids) => async () =>
      E.tryCatch(() => {
        const [deleted, before] = [new Set(ids), content.pets.length];
        replace({ pets: content.pets.filter(({ id }) => !deleted.has(id)) });
        return before - content.pets.length;
      }, core.unavailable),
    importAll: (source, onIds) =>
      TE.tryCatch(async () => {
        const newPets: Array<core.NewPet> = [];
        for await (const newPet of source) newPets.push(newPet);
        const added = newPets.map(withId);
        await onIds?.(added.map(({ id }) => id));
        replace({ pets: [...content.pets, ...added].sort(byId) });
        return { count: added.length, firstId: added[0]?.id, lastId: added.at(-1)?.id };
      }, core.importAborted),
  };
};
