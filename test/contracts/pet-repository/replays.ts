import {
  IdempotencyKey,
  type NewPet,
  NewPetCodec,
  newPetRules,
  OwnerId,
  type ScopedIdempotencyKey,
} from '../../../core';
import { arbitraryCategoryId, arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../arbitrary';
import { expectEqual, shown } from '../expect-equal';
import { atOnce, decoded, expectFailure, success } from '../outcome';
import type { TestRunner } from '../test-runner';
import type { UseRepository } from './open-pet-repository';
import { allPets } from './pages-of';

const original: NewPet = {
  name: 'r\u00e9x',
  categoryId: 9007199254740993n,
  status: 'sold',
};

/** Animals that each differ from `original` in one way that a careless comparison overlooks. */
const others: Readonly<Record<string, NewPet>> = {
  'another name': { ...original, name: 'rex' },
  'the same name decomposed': { ...original, name: 're\u0301x' },
  'the same name in capitals': { ...original, name: 'R\u00e9X' },
  'a name with a space behind it': { ...original, name: 'r\u00e9x ' },
  'a category that a double takes for the same': {
    ...original,
    categoryId: 9007199254740992n,
  },
  'another status': { ...original, status: 'pending' },
  'no status': { name: original.name, categoryId: original.categoryId },
};

const fields = Object.keys(newPetRules);

/** Returns a copy of an animal with another random value in one field. */
const differingIn = (newPet: NewPet, field: string): NewPet => {
  for (let attempts = 0; attempts < 1_000; attempts += 1) {
    const [value, before]: ReadonlyArray<unknown> = [arbitraryNewPet(), newPet].map((pet): unknown =>
      Reflect.get(pet, field),
    );
    if (value !== undefined && value !== before) return decoded(NewPetCodec, { ...newPet, [field]: value });
  }
  throw new Error(`no two arbitrary animals differ in ${field}`);
};

/** Returns keys that are equal if they are concatenated, case-folded, trimmed, truncated or looked up in an object. */
const nearKeys = (): ReadonlyArray<ScopedIdempotencyKey> => {
  const { ownerId: owner, idempotencyKey: key } = arbitraryScopedIdempotencyKey();
  const texts: ReadonlyArray<readonly [owner: string, key: string]> = [
    ...['', ':', '/', '|', ',', '-', '.', ' ', '"'].flatMap(
      (glue) =>
        [
          [`${owner}${glue}a`, 'b'],
          [owner, `a${glue}b`],
        ] as const,
    ),
    [owner, 'a  b'],
    ...[key, `${key}k`, `${key}K`, `${key} `, ` ${key}`, `${key}%`, '__proto__', 'constructor'].map(
      (text) => [owner, text] as const,
    ),
    ...[254, 255].map((length) => [owner, 'x'.repeat(length)] as const),
    ...[`${owner}o`, `${owner}O`, `${owner} `, ` ${owner}`, `${owner}%`].map((text) => [text, key] as const),
    ...[`${owner}\u00e9`, `${owner}e\u0301`, '__proto__', 'constructor'].map((text) => [text, key] as const),
  ];
  return texts.map(([ownerText, keyText]) => ({
    ownerId: decoded(OwnerId, ownerText),
    idempotencyKey: decoded(IdempotencyKey, keyText),
  }));
};

export const replays = ({ it }: TestRunner, use: UseRepository): void => {
  it('replays an equal create with the same key', () =>
    use({}, async (repository) => {
      const [idempotency, newPet] = [arbitraryScopedIdempotencyKey(), arbitraryNewPet()];
      const { pet } = await success(repository.create(newPet, { idempotency }));
      for (let count = 0; count < 3; count += 1) {
        expectEqual(
          'a retry',
          await success(repository.create({ ...newPet }, { idempotency: { ...idempotency } })),
          { pet, replayed: true },
        );
      }
      expectEqual('the list', await allPets(repository), [pet]);
    }));

  for (const [difference, other] of Object.entries(others)) {
    it(`refuses another animal under a used key, and stores nothing: ${difference}`, () =>
      use({}, async (repository) => {
        const idempotency = arbitraryScopedIdempotencyKey();
        const { pet } = await success(repository.create(original, { idempotency }));
        await expectFailure(difference, repository.create(other, { idempotency }), 'IdempotencyKeyReused');
        expectEqual('a retry of the first', await success(repository.create(original, { idempotency })), {
          pet,
          replayed: true,
        });
        expectEqual('the list', await allPets(repository), [pet]);
      }));
  }

  for (const field of fields) {
    it(`refuses an animal that differs only in its ${field} under a used key`, () =>
      use({}, async (repository) => {
        const idempotency = arbitraryScopedIdempotencyKey();
        const newPet = arbitraryNewPet();
        const other = differingIn(newPet, field);
        await success(repository.create(newPet, { idempotency }));
        await expectFailure(
          `another ${field}`,
          repository.create(other, { idempotency }),
          'IdempotencyKeyReused',
        );
      }));
  }

  it('keeps owners and keys apart, however similar they are', () =>
    use({}, async (repository) => {
      const keys = nearKeys();
      const run = () =>
        Promise.all(keys.map((idempotency) => success(repository.create(original, { idempotency }))));
      const made = await run();
      for (const [index, { replayed }] of made.entries()) {
        expectEqual(`replayed, of a first create under ${shown(keys[index])}`, replayed, false);
      }
      expectEqual(
        'what their retries answer with',
        await run(),
        made.map(({ pet }) => ({ pet, replayed: true })),
      );
      expectEqual('how many are listed', (await allPets(repository)).length, keys.length);
    }));

  it('creates one animal in 20 equal concurrent creates with one key', () =>
    use({}, async (repository) => {
      const [idempotency, newPet] = [arbitraryScopedIdempotencyKey(), arbitraryNewPet()];
      const outcomes = await atOnce(
        Array.from({ length: 20 }, () => repository.create(newPet, { idempotency })),
      );
      const pets = await allPets(repository);
      expectEqual('how many are listed', pets.length, 1);
      const made = outcomes.flatMap((outcome) => (outcome._tag === 'Right' ? [outcome.right] : []));
      const first = made.filter(({ replayed }) => !replayed);
      expectEqual('how many of 20 answers say that they are no replay', first.length, 1);
      for (const { pet } of made) expectEqual('the animal in each answer', pet, pets[0]);
      const refused = outcomes.flatMap((outcome) => (outcome._tag === 'Left' ? [outcome.left._tag] : []));
      for (const tag of refused) expectEqual('the failure of equal creates', tag, 'IdempotencyKeyInFlight');
      expectEqual('a retry after them', await success(repository.create(newPet, { idempotency })), {
        pet: pets[0],
        replayed: true,
      });
    }));

  it('creates one animal in 20 different concurrent creates with one key', () =>
    use({}, async (repository) => {
      const idempotency = arbitraryScopedIdempotencyKey();
      const differing = () => ({ ...original, categoryId: arbitraryCategoryId() });
      const outcomes = await atOnce(
        Array.from({ length: 20 }, () => repository.create(differing(), { idempotency })),
      );
      const made = outcomes.flatMap((outcome) => (outcome._tag === 'Right' ? [outcome.right.pet] : []));
      expectEqual('the list, beside what was answered', await allPets(repository), made);
      expectEqual('how many were made', made.length, 1);
      for (const outcome of outcomes) {
        if (outcome._tag === 'Left') {
          const isOne = ['IdempotencyKeyInFlight', 'IdempotencyKeyReused'].includes(outcome.left._tag);
          expectEqual(`whether ${outcome.left._tag} is a failure of a key`, isOne, true);
        }
      }
    }));
};
