import { expect } from 'chai';
import { compile } from '../../support/compile';

const preamble = `
  import { pipe } from 'fp-ts/function';
  import * as TE from 'fp-ts/TaskEither';
  import {
    type AnimalStore, type ApiKey, type NewPet, openAnimalStore, type PetId, type PetQuery, type PetRepository,
    type Authenticate,
  } from './index';
  declare const pets: PetRepository;
  declare const authenticate: Authenticate;
  declare const apiKey: ApiKey;
  declare const query: PetQuery;
  declare const newPet: NewPet;
  declare const petId: PetId;
`;

/** What compiles: were it refused, the refusals below would say nothing. */
const allowed = {
  'an authenticated caller lists, creates and gets': `
    export const done = pipe(
      openAnimalStore({ pets, authenticate })(apiKey),
      TE.flatMap((store: AnimalStore) => pipe(store.listPets(query), TE.flatMap(() => store.createPet(newPet)),
        TE.flatMap(() => store.getPet(petId)))),
    );`,
};

/** What does not compile, and by which error of the compiler. */
const refused: Readonly<Record<string, readonly [code: string, snippet: string]>> = {
  'a store lists before it is opened': [
    'TS2339',
    'export const x = openAnimalStore({ pets, authenticate }).listPets;',
  ],
  'an entrance that nobody has passed is taken for a store': [
    'TS2322',
    'export const x: AnimalStore = openAnimalStore({ pets, authenticate })(apiKey);',
  ],
  'a store is used without looking whether the key was refused': [
    'TS2339',
    'export const x = openAnimalStore({ pets, authenticate })(apiKey)().then((store) => store.listPets(query));',
  ],
  'a store is opened without a key': [
    'TS2554',
    'export const x = openAnimalStore({ pets, authenticate })();',
  ],
  'a store is opened without the auth port': ['TS2345', 'export const x = openAnimalStore({ pets });'],
  'a string is taken for a key': [
    'TS2345',
    `export const x = openAnimalStore({ pets, authenticate })('secret');`,
  ],
  'a bigint is taken for an id': ['TS2345', 'export const x = (store: AnimalStore) => store.getPet(7n);'],
  'listPets is taken without a caller': ['TS2724', `export { listPets } from './index';`],
  'createPet is taken without a caller': ['TS2724', `export { createPet } from './index';`],
  'getPet is taken without a caller': ['TS2724', `export { getPet } from './index';`],
  'importPets is taken without a caller': ['TS2724', `export { importPets } from './index';`],
};

const fileName = (title: string): string => title.replaceAll(' ', '-');

describe('the types of the core', function () {
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
