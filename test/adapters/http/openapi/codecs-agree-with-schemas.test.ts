import Ajv2020 from 'ajv/dist/2020';
import { expect } from 'chai';
import fc from 'fast-check';
import { isLeft, isRight } from 'fp-ts/Either';
import { stringify } from 'lossless-json';
import { parseJsonBytes } from '../../../../adapters/json';
import document from '../../../../adapters/http/openapi.json';
import { type FieldRule, NewPetCodec, newPetRules } from '../../../../core';
import { fieldKind } from '../../../support/field-kinds';

const { schemas } = document.components;

const documentId = 'https://animals.example/openapi.json';

/**
 * Makes a validator of the schemas, whose regular expressions have the `u` flag or not, because validators differ in
 * this.
 */
const schemasBy = (unicodeRegExp: boolean) => {
  const ajv = new Ajv2020({ strict: true, allErrors: true, unicodeRegExp, keywords: ['example'] });
  // JSON Schema validators get doubles. A double in [-2^63, 2^63) with an integer value counts as an int64.
  ajv.addFormat('int64', {
    type: 'number',
    validate: (value: number) => value >= -(2 ** 63) && value < 2 ** 63,
  });
  ajv.addVocabulary(['components']);
  ajv.addSchema({ $id: documentId, components: { schemas } });
  return (name: string) => {
    const validate = ajv.compile({ $ref: `${documentId}#/components/schemas/${name}` });
    return (value: unknown): boolean => validate(value);
  };
};

const schemaOf = schemasBy(true);
const isNewPetByPattern = schemaOf('NewPet');

const hasLoneSurrogate = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(
    ([name, member]: [string, unknown]) =>
      Object.hasOwn(newPetRules, name) && typeof member === 'string' && /\p{Surrogate}/u.test(member),
  );

/** True if a value agrees with the schema's pattern, and with the description, which forbids lone surrogates. */
const isNewPetBySchema = (value: unknown): boolean => isNewPetByPattern(value) && !hasLoneSurrogate(value);

const isNewPetByCodec = (json: string): boolean => {
  const parsed = parseJsonBytes(new TextEncoder().encode(json));
  if (isLeft(parsed)) throw new Error(`no JSON: ${json}`);
  return isRight(NewPetCodec.decode(parsed.right));
};

/** Converts numbers with an integer value to bigints, as the parser of request bodies does. */
const withBigInts = (value: unknown): unknown => {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(withBigInts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withBigInts(member)]));
};

/**
 * Writes JSON with all digits of integers. JSON.stringify would write only the shortest digits that round to the
 * double.
 */
const exactJson = (value: unknown): string => {
  const text = stringify(withBigInts(value));
  if (text === undefined) throw new Error('no JSON value');
  return text;
};

const anything = fc.jsonValue({ stringUnit: 'binary' });

const mostly = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary, weight: 6 }, { arbitrary: anything, weight: 1 });

/**
 * Generates bodies: most are objects with the fields of a NewPet, each of which may be missing, valid, nearly valid or
 * any JSON.
 */
const bodies = mostly(
  fc
    .tuple(
      fc.record(
        Object.fromEntries(
          Object.entries<FieldRule>(newPetRules).map(([name, rule]) => [
            name,
            mostly(fieldKind(rule).nearlyValid),
          ]),
        ),
        { requiredKeys: [] },
      ),
      fc.dictionary(fc.constantFrom('id', 'Name', '__proto__', 'constructor', 'toString', 'extra'), anything),
    )
    .map(([fields, others]) => Object.fromEntries([...Object.entries(others), ...Object.entries(fields)])),
);

describe('the codec and the schema of NewPet', () => {
  it('accept and refuse the same JSON texts', () => {
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(bodies, (body) => {
        const json = exactJson(body);
        const accepted = isNewPetByCodec(json);
        seen[accepted ? 'accepted' : 'refused'] += 1;
        expect(accepted, json).to.equal(isNewPetBySchema(body));
      }),
      { numRuns: 2_000 },
    );
    expect(seen.accepted, 'accepted bodies').to.be.above(25);
    expect(seen.refused, 'refused bodies').to.be.above(100);
  });

  it('differ in names with a lone surrogate alone, which the schema refuses in words', () => {
    expect(JSON.stringify(schemas.NewPet)).to.contain('without lone surrogates');
    for (const name of ['\ud800', 'a\udc00b', '\udc00\ud800', '🐕\ud83d']) {
      const body = { name, categoryId: 1 };
      expect(isNewPetByCodec(JSON.stringify(body)), name).to.equal(false);
      expect(isNewPetByPattern(body), name).to.equal(true);
    }
  });

  it('take emoji and refuse U+0000, whether a validator sets the u flag or not', () => {
    for (const unicodeRegExp of [true, false]) {
      const isNewPet = schemasBy(unicodeRegExp)('NewPet');
      expect(isNewPet({ name: '🐕 𝒳', categoryId: 1 })).to.equal(true);
      expect(isNewPet({ name: 'a\0b', categoryId: 1 })).to.equal(false);
    }
  });
});
