import { expect } from 'chai';
import document from '../../../../adapters/http/openapi.json';
import { factsOfDocument } from '../../../support/openapi/document-facts';
import { observeProgram } from '../../../support/openapi/observations';
import { factsOfProgram } from '../../../support/openapi/program-facts';

/** Members of the document that say nothing about the program. */
const prose = new Set(['openapi', 'title', 'version', 'description', 'summary', 'tags']);

/** Members of an object, except for prose and for the type of an enumeration, which its values imply. */
const membersOf = (value: object): ReadonlyArray<readonly [key: string, member: unknown]> =>
  Object.entries(value).filter(([key]) => !prose.has(key) && !(key === 'type' && 'enum' in value));

/** Returns all documents that lack one part of a document, or have another value in one place, with the place. */
function* mutantsOf(value: unknown, place = ''): Generator<readonly [place: string, mutant: unknown]> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield [`${place}/${index} removed`, value.toSpliced(index, 1)];
      for (const [at, mutant] of mutantsOf(item, `${place}/${index}`)) yield [at, value.with(index, mutant)];
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of membersOf(value)) {
      const others = Object.entries(value).filter(([other]) => other !== key);
      yield [`${place}/${key} removed`, Object.fromEntries(others)];
      for (const [at, mutant] of mutantsOf(member, `${place}/${key}`))
        yield [at, { ...value, [key]: mutant }];
    }
  } else if (typeof value === 'string') yield [`${place} changed`, `${value}x`];
  else if (typeof value === 'number') yield [`${place} changed`, value + 1];
  else yield [`${place} changed`, value !== true];
}

/** Returns the document with another text in its description, which has the table of codes. */
const withTable = (text: string, replacement: string): object => ({
  ...document,
  info: { ...document.info, description: document.info.description.replace(text, replacement) },
});

/** Returns the document in which a text is replaced everywhere. */
const withText = (text: string, replacement: string): unknown =>
  JSON.parse(JSON.stringify(document).replaceAll(text, replacement));

const { paths, components } = document;
const { get: list, post: create } = paths['/pets'];
const [ok, created] = [list.responses['200'], create.responses['201']];

const withPath = (path: string, item: object): object => ({
  ...document,
  paths: { ...paths, [path]: item },
});
const withList = (operation: object): object =>
  withPath('/pets', { get: { ...list, ...operation }, post: create });
const withComponents = (more: object): object => ({ ...document, components: { ...components, ...more } });
const withSchema = (name: string, schema: object): object =>
  withComponents({ schemas: { ...components.schemas, [name]: schema } });

const { NewPet, Error: ErrorBody } = components.schemas;

/** Documents that differ from the program, by what is wrong with them. */
const wrongDocuments: Readonly<Record<string, unknown>> = {
  'an additional route': withPath('/animals', { get: list }),
  'an additional method': withPath('/pets', { get: list, post: create, delete: list }),
  'an additional status': withList({ responses: { ...list.responses, 404: ok } }),
  'an additional header of a response': withList({
    responses: { ...list.responses, 200: { ...ok, headers: { ...ok.headers, ...created.headers } } },
  }),
  'an additional header': withComponents({
    headers: { ...components.headers, ETag: components.headers.Link },
  }),
  'an additional example': withText('"InvalidQuery":', '"Other":{"value":{}},"InvalidQuery":'),
  'an additional parameter': withText(
    '"name":"limit"',
    '"name":"offset","in":"query","schema":{}},{"name":"limit"',
  ),
  'a parameter that is required': withText('"name":"limit"', '"name":"limit","required":true'),
  'an additional schema': withSchema('Category', { type: 'object' }),
  'a field that is required': withSchema('NewPet', { ...NewPet, required: [...NewPet.required, 'status'] }),
  'an additional constraint': withText('"maxLength"', '"minLength":1,"maxLength"'),
  'an additional code': withSchema('Error', {
    ...ErrorBody,
    properties: {
      ...ErrorBody.properties,
      code: { enum: [...ErrorBody.properties.code.enum, 'no_such_code'] },
    },
  }),
  'an additional code of a response': withText('`unauthorized`', '`unauthorized` or `forbidden`'),
  'a missing code of a response': withText('`invalid_query` or', ''),
  'an additional row in its table of codes': withTable(
    '| `pet_not_found`',
    '| `gone` | 410 | no | "gone" |\n| `pet_not_found`',
  ),
  'another status in its table of codes': withTable('| `pet_not_found` | 404', '| `pet_not_found` | 410'),
  'another message in its table of codes': withTable('"pet not found"', '"no such pet"'),
};

describe('The OpenAPI document', () => {
  let program: ReadonlySet<string>;

  before(async () => {
    program = factsOfProgram(await observeProgram());
  });

  /** Returns what a document lacks, and what it says that is not true of the program. */
  const differences = (source: unknown): ReadonlyArray<string> => {
    const facts = factsOfDocument(source);
    return [
      ...[...program].filter((fact) => !facts.has(fact)).map((fact) => `lacks: ${fact}`),
      ...[...facts].filter((fact) => !program.has(fact)).map((fact) => `is wrong: ${fact}`),
    ];
  };

  const isFoundWrong = (source: unknown): boolean => {
    try {
      return differences(source).length > 0;
    } catch {
      return true;
    }
  };

  it('says exactly what the program does', () => {
    expect(differences(document)).to.deep.equal([]);
  });

  it('is found wrong without any of its parts, and with another value in any place, except for prose', () => {
    const mutants = [...mutantsOf(document)];
    const unnoticed = mutants.filter(([, mutant]) => !isFoundWrong(mutant)).map(([place]) => place);
    expect(unnoticed).to.deep.equal([]);
    expect(mutants.length, 'mutants').to.be.above(500);
  }).timeout(180_000);

  for (const [fault, mutant] of Object.entries(wrongDocuments)) {
    it(`is found wrong with ${fault}`, () => {
      expect(mutant).not.to.deep.equal(document);
      expect(differences(mutant)).not.to.deep.equal([]);
    });
  }
});
