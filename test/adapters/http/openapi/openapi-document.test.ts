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
});
