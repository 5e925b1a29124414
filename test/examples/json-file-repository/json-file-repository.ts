import * as core from 'animal-store/core';
import { either as E, taskEither as TE } from 'fp-ts';
import * as t from 'io-ts';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const Key = t.type({ ownerId: core.OwnerId, name: core.IdempotencyKey, pet: core.Pet, expiresAt: t.number });
const Stored = t.type({ pets: t.readonlyArray(core.Pet), keys: t.readonlyArray(Key) });

// JSON.parse reads a number as a double, so an int64 is stored as a string.
const toText = (_name: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);
const fromText = (name: string, value: unknown) =>
  typeof value === 'string' && ['id', 'categoryId'].includes(name) ? BigInt(value) : value;

/** Stores animals in a JSON file, which is rewritten at each change. Only one process may use the file. */
export const jsonFileRepository = (file: string, now = Date.now): core.PetRepository => {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '{ "pets": [], "keys": [] }';
  let { pets, keys } = core.decodeOrThrow(Stored, JSON.parse(text, fromText));

  const keep = (next: t.TypeOf<typeof Stored>): void => {
    writeFileSync(`${file}.next`, JSON.stringify(next, toText), { flush: true });
    renameSync(`${file}.next`, file);
    ({ pets, keys } = next);
  };

  const number = (newPet: core.NewPet, index = 0): core.Pet =>
    core.decodeOrThrow(core.Pet, { ...newPet, id: (pets.at(-1)?.id ?? 0n) + BigInt(index + 1) });

  const create = (newPet: core.NewPet, key?: core.ScopedIdempotencyKey) => {
    const earlier = keys.find(({ ownerId, name }) => ownerId === key?.ownerId && name === key.idempotencyKey);
    const decision = core.resolveIdempotentCreate(earlier, newPet, now());
    if (decision._tag === 'IdempotencyKeyReused') return E.left(decision);
    if (decision._tag === 'Replay') return E.right({ pet: decision.pet, replayed: true });
    const pet = number(newPet);
    const { expiresAt } = decision;
    const added = key ? [{ ownerId: key.ownerId, name: key.idempotencyKey, pet, expiresAt }] : [];
    keep({ pets: [...pets, pet], keys: [...keys.filter((one) => one.expiresAt > now()), ...added] });
    return E.right({ pet, replayed: false });
  };

  return {
    list: ({ limit, after, ...filters }) =>
      TE.fromIO(() => {
        const follow = after === undefined ? pets : pets.filter(({ id }) => id > after);
        const wanted = follow.filter((pet) => core.passesFilters(filters, pet));
        return core.toPage(limit, wanted);
      }),
    find: (id) =>
      TE.fromIOEither(() => E.fromNullable(core.petNotFound(id))(pets.find((pet) => pet.id === id))),
    create: (newPet, key) =>
      TE.fromIOEither(() => E.flattenW(E.tryCatch(() => create(newPet, key), core.unavailable))),
    importAll: (source) =>
      TE.tryCatch(async () => {
        const newPets: Array<core.NewPet> = [];
        for await (const newPet of source) newPets.push(newPet);
        keep({ pets: [...pets, ...newPets.map(number)], keys });
        return newPets.length;
      }, core.importAborted),
  };
};
