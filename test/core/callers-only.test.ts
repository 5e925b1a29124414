import { expect } from 'chai';
import { join } from 'node:path';
import ts from 'typescript';
import { projectFolder } from '../support/processes/command';

/**
 * Compiles snippets as files of the core, with its compiler options. Returns the errors of each, as `TS2345: message`.
 */
const compile = (snippets: ReadonlyArray<readonly [title: string, text: string]>) => {
  const tsconfig = ts.readConfigFile(join(projectFolder, 'tsconfig.json'), (name) => ts.sys.readFile(name));
  const parsed = ts.parseJsonConfigFileContent(tsconfig.config, ts.sys, projectFolder);
  const options = { ...parsed.options, noEmit: true, incremental: false, noUnusedLocals: false };
  const fileOf = (title: string) => join(projectFolder, 'core', `${title.replaceAll(' ', '-')}.snippet.ts`);
  const texts = new Map(snippets.map(([title, text]) => [fileOf(title), preamble + text]));
  const host = ts.createCompilerHost(options);
  const program = ts.createProgram([...texts.keys()], options, {
    ...host,
    fileExists: (file) => texts.has(file) || host.fileExists(file),
    readFile: (file) => texts.get(file) ?? host.readFile(file),
    getSourceFile: (file, version, ...rest) => {
      const text = texts.get(file);
      return text === undefined
        ? host.getSourceFile(file, version, ...rest)
        : ts.createSourceFile(file, text, version);
    },
  });
  const errorsOf = (title: string): ReadonlyArray<string> =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(fileOf(title)))
      .map(({ code, messageText }) => `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
  return new Map(snippets.map(([title]) => [title, errorsOf(title)]));
};

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

/** A program that must compile. Otherwise, the errors of the programs below would prove nothing. */
const allowed = `
    export const done = pipe(
      openAnimalStore({ pets, authenticate })(apiKey),
      TE.flatMap((store: AnimalStore) => pipe(store.listPets(query), TE.flatMap(() => store.createPet(newPet)),
        TE.flatMap(() => store.getPet(petId)))),
    );`;

/** Programs that must not compile, with the expected error code of the compiler. */
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
  'a name is not checked': [
    'TS2322',
    `export const x: NewPet = { name: 'Rex', categoryId: newPet.categoryId };`,
  ],
  'listPets is taken without a caller': ['TS2305', `export { listPets } from './index';`],
  'createPet is taken without a caller': ['TS2724', `export { createPet } from './index';`],
  'getPet is taken without a caller': ['TS2305', `export { getPet } from './index';`],
};

/** Programs with an error that shows a type, and the name that the error must contain. */
const named: Readonly<Record<string, string>> = {
  Pet: 'declare const pet: Awaited<ReturnType<ReturnType<AnimalStore["getPet"]>>>; export const x: never = pet._tag === "Right" ? pet.right : undefined;',
  NewPet: 'export const x: never = newPet;',
  PetName: 'export const x: never = newPet.name;',
  PetId: 'export const x: never = petId;',
  PageSize: 'export const x: never = query.limit;',
  ApiKey: 'export const x: never = apiKey;',
};

describe('the types of the core', function () {
  let errors: ReturnType<typeof compile>;

  before(() => {
    errors = compile([
      ['allowed', allowed],
      ...Object.entries(named),
      ...Object.entries(refused).map(([title, [, snippet]]) => [title, snippet] as const),
    ]);
  });

  it('accept an authenticated caller that lists, creates and gets', () => {
    expect(errors.get('allowed')).to.deep.equal([]);
  });

  for (const [title, [code]] of Object.entries(refused)) {
    it(`reject: ${title}`, () => {
      const found = errors.get(title) ?? [];
      expect(found).to.have.lengthOf(1);
      expect(found[0]).to.match(new RegExp(`^${code}:`));
    });
  }

  for (const name of Object.keys(named)) {
    it(`show ${name} by its name`, () => {
      expect(errors.get(name)?.join()).to.match(
        new RegExp(`^TS2322: Type '(undefined \\| )?${name}( \\| undefined)?' is not assignable`),
      );
    });
  }

  it('lead from a missing brand to decodeOrThrow', () => {
    for (const title of [
      'a string is taken for a key',
      'a bigint is taken for an id',
      'a name is not checked',
    ]) {
      expect(errors.get(title)?.join()).to.include('FromDecodeOrThrow<');
    }
  });
});
