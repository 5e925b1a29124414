import { expect } from 'chai';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { projectFolder } from '../support/processes/command';

const compilerOptions = (): ts.CompilerOptions => {
  const file = ts.readConfigFile(join(projectFolder, 'tsconfig.json'), (name) => ts.sys.readFile(name));
  const { options } = ts.parseJsonConfigFileContent(file.config, ts.sys, projectFolder);
  return { ...options, noEmit: true, incremental: false, noUnusedLocals: false };
};

/**
 * Compiles snippets as files of this repository, with its compiler options. Returns the errors of each, as `TS2345:
 * message`.
 */
const compile = <Name extends string>(
  folder: string,
  snippets: Readonly<Record<Name, string>>,
): Readonly<Record<string, ReadonlyArray<string>>> => {
  const texts = new Map<string, string>(
    Object.entries<string>(snippets).map(([name, text]) => [
      join(projectFolder, folder, `${name}.snippet.ts`),
      text,
    ]),
  );
  const options = compilerOptions();
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
  return Object.fromEntries(
    [...texts.keys()].map((file) => [
      file.slice(dirname(file).length + 1, -'.snippet.ts'.length),
      ts
        .getPreEmitDiagnostics(program, program.getSourceFile(file))
        .map(({ code, messageText }) => `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`),
    ]),
  );
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

/** Programs that must compile. Otherwise, the errors of the programs below would prove nothing. */
const allowed = {
  'an authenticated caller lists, creates and gets': `
    export const done = pipe(
      openAnimalStore({ pets, authenticate })(apiKey),
      TE.flatMap((store: AnimalStore) => pipe(store.listPets(query), TE.flatMap(() => store.createPet(newPet)),
        TE.flatMap(() => store.getPet(petId)))),
    );`,
};

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

const fileName = (title: string): string => title.replaceAll(' ', '-');

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
    const snippets = [
      ...Object.entries(allowed),
      ...Object.entries(named),
      ...Object.entries(refused).map(([title, [, snippet]]) => [title, snippet] as const),
    ];
    errors = compile(
      'core',
      Object.fromEntries(snippets.map(([title, snippet]) => [fileName(title), preamble + snippet])),
    );
  });

  for (const title of Object.keys(allowed)) {
    it(`accept: ${title}`, () => {
      expect(errors[fileName(title)]).to.deep.equal([]);
    });
  }

  for (const [title, [code]] of Object.entries(refused)) {
    it(`reject: ${title}`, () => {
      const found = errors[fileName(title)] ?? [];
      expect(found).to.have.lengthOf(1);
      expect(found[0]).to.match(new RegExp(`^${code}:`));
    });
  }

  for (const name of Object.keys(named)) {
    it(`show ${name} by its name`, () => {
      expect(errors[name]?.join()).to.match(
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
      expect(errors[fileName(title)]?.join()).to.include('FromDecodeOrThrow<');
    }
  });
});
