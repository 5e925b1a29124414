import * as core from 'animal-store/core';
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import * as t from 'io-ts';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';

const UsedKey = t.type({ name: t.string, content: t.string, pet: core.PetCodec, expiresAt: t.number });
const Content = t.type({ pets: t.readonlyArray(core.PetCodec), keys: t.readonlyArray(UsedKey) });

/** Replaces the file as a whole, so that a crash leaves either the old or the new content. */
export const save = (file: string, pets: ReadonlyArray<core.Pet>, keys: ReadonlyArray<object> = []): void => {
  writeFileSync(`${file}.new`, serialize({ pets, keys }), { flush: true });
  renameSync(`${file}.new`, file);
};

/** Stores animals in a file, sorted by id. Only one process may use the file. */
export const fileRepository = (file: string, now = Date.now): core.PetRepository => {
  if (!existsSync(file)) save(file, []);
  let { pets, keys } = core.decodeOrThrow(Content, deserialize(readFileSync(file)));

  // Saves first, so that no reader sees an animal that a restart would lose.
  const add = (added: ReadonlyArray<core.Pet>, nextKeys = keys): void => {
    const nextPets = [...pets, ...added];
    save(file, nextPets, nextKeys);
    [pets, keys] = [nextPets, nextKeys];
  };
  const withId = (newPet: core.NewPet, index = 0): core.Pet =>
    core.decodeOrThrow(core.PetCodec, { ...newPet, id: (pets.at(-1)?.id ?? 0n) + BigInt(index + 1) });

  return {
    list: (query) => async () => {
      const follows = ({ id }: core.Pet) => query.after === undefined || id > query.after;
      const wanted = pets.filter((pet) => follows(pet) && core.passesFilters(query, pet));
      return E.right(core.toPage(query.limit, wanted));
    },
    find: (id) => async () => E.fromNullable(core.petNotFound(id))(pets.find((pet) => pet.id === id)),
    create: (newPet, key) => async () => {
      const name = key && core.scopedIdempotencyKeyText(key);
      const earlier = keys.find((one) => one.name === name);
      const content = core.contentOf(newPet);
      const decision = core.resolveIdempotentCreate(earlier, content, now());
      if (decision._tag === 'IdempotencyKeyReused') return E.left(decision);
      if (decision._tag === 'Replay') return E.right({ pet: decision.pet, replayed: true });
      return E.tryCatch(() => {
        const pet = withId(newPet);
        const used = name === undefined ? [] : [{ name, content, pet, expiresAt: decision.expiresAt }];
        add([pet], [...keys.filter(({ expiresAt }) => expiresAt > now()), ...used]);
        return { pet, replayed: false };
      }, core.unavailable);
    },
    importAll: (source) =>
      TE.tryCatch(async () => {
        const newPets: Array<core.NewPet> = [];
        for await (const newPet of source) newPets.push(newPet);
        const added = newPets.map(withId);
        add(added);
        return { count: added.length, firstId: added[0]?.id, lastId: added.at(-1)?.id };
      }, core.importAborted),
  };
};
