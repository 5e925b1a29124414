import { expect } from 'chai';
import document from '../../../../adapters/http/openapi.json';
import { observeDifferences } from '../../../support/openapi/differences';

/** Members of the document that say nothing about the program. */
const prose = new Set(['openapi', 'title', 'version', 'description', 'summary', 'tags']);

/** Members of an object, except for prose and for the type of an enumeration, which its values imply. */
const membersOf = (value: object): ReadonlyArray<readonly [key: string, member: unknown]> =>
  Object.entries(value).filter(([key]) => !prose.has(key) && !(key === 'type' && 'enum' in value));

/**
 * Yields every document that differs from the given one in one place, by a missing part or another value. Yields the
 * place with each document.
 */
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

describe('The comparison of the OpenAPI document with the program', () => {
  it('notices each part that is missing, and each value that is changed, except for prose', async () => {
    const differences = await observeDifferences();
    const isNoticed = (source: unknown): boolean => {
      try {
        return differences(source).length > 0;
      } catch {
        return true;
      }
    };
    const mutants = [...mutantsOf(document)];
    const unnoticed = mutants.filter(([, mutant]) => !isNoticed(mutant)).map(([place]) => place);
    expect(unnoticed).to.deep.equal([]);
    expect(mutants.length, 'mutants').to.be.above(500);
  });
});
