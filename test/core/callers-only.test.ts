import { expect } from 'chai';
import { compile } from '../support/compile';

const preamble = `
  import { pipe } from 'fp-ts/function';
  import * as TE from 'fp-ts/TaskEither';
  import {
    type AnimalStore, type ApiKey, type KeyId, type NewPet, openAnimalStore, type PetId, type PetQuery,
    type PetRepository, type Authenticate,
  } from './index';
  import { createPet } from './create-pet';
  import { getPet } from './get-pet';
  import { listPets } from './list-pets';
  declare const pets: PetRepository;
  declare const authenticate: Authenticate;
  declare const apiKey: ApiKey;
  declare const keyId: KeyId;
  declare const query: PetQuery;
  declare const newPet: NewPet;
  declare const petId: PetId;
  type Caller = Parameters<ReturnType<typeof listPets>>[0];
`;

/** What compiles: were it refused, the refusals below would say nothing. */
const allowed = {
  'an authenticated caller lists, creates and gets': `
    export const done = pipe(
      openAnimalStore({ pets, authenticate })(apiKey),
      TE.flatMap((store: AnimalStore) => pipe(store.listPets(query), TE.flatMap(() => store.createPet(newPet)),
        TE.flatMap(() => store.getPet(petId)))),
    );`,
  'a use-case takes the caller that the core made': `
    export const list = (caller: Caller) => listPets(pets)(caller)(query);`,
};

/** What does not compile, and by which error of the compiler. */
const refused: Readonly<Record<string, readonly [code: string, snippet: string]>> = {
  'listPets runs without a caller': ['TS2345', 'export const x = listPets(pets)(query);'],
  'createPet runs without a caller': ['TS2345', 'export const x = createPet(pets)(newPet);'],
  'getPet runs without a caller': ['TS2345', 'export const x = getPet(pets)(petId);'],
  'a use-case takes no argument for a caller': ['TS2554', 'export const x = listPets(pets)();'],
  'a use-case takes undefined for a caller': ['TS2345', 'export const x = listPets(pets)(undefined);'],
  'a use-case takes a key id for a caller': ['TS2345', 'export const x = listPets(pets)(keyId);'],
  'a use-case takes an object with a key id for a caller': [
    'TS2345',
    'export const x = listPets(pets)({ keyId });',
  ],
  'an object is made a Caller': ['TS2741', 'export const x: Caller = { keyId };'],
  'the store itself is taken for a caller': [
    'TS2345',
    'export const x = (store: AnimalStore) => listPets(pets)(store);',
  ],
  'the constructor of Caller is public': ['TS2305', `export { caller } from './index';`],
  'the mark of a Caller is public': ['TS2724', `export { authenticated } from './index';`],
  'a store lists before it is opened': [
    'TS2339',
    'export const x = openAnimalStore({ pets, authenticate }).listPets;',
  ],
  'a store is opened without a key': [
    'TS2554',
    'export const x = openAnimalStore({ pets, authenticate })();',
  ],
  'a string is taken for a key': [
    'TS2345',
    `export const x = openAnimalStore({ pets, authenticate })('secret');`,
  ],
  'a bigint is taken for an id': ['TS2345', 'export const x = (store: AnimalStore) => store.getPet(7n);'],
};

const fileName = (title: string): string => title.replaceAll(' ', '-');

describe('the types of the core', function () {
  this.timeout(30_000);
  let errors: ReturnType<typeof compile>;

  before(() => {
    const snippets = [
      ...Object.entries(allowed),
      ...Object.entries(refused).map(([title, [, snippet]]) => [title, snippet] as const),
    ];
    errors = compile(
      'core',
      Object.fromEntries(snippets.map(([title, snippet]) => [fileName(title), preamble + snippet])),
    );
  });

  for (const title of Object.keys(allowed)) {
    it(`let it compile that ${title}`, () => {
      expect(errors[fileName(title)]).to.deep.equal([]);
    });
  }

  for (const [title, [code]] of Object.entries(refused)) {
    it(`do not let it compile that ${title}`, () => {
      const found = errors[fileName(title)] ?? [];
      expect(found).to.have.lengthOf(1);
      expect(found[0]).to.match(new RegExp(`^${code}:`));
    });
  }
});
