import { expect } from 'chai';
import { expectTypeOf } from 'expect-type';
import * as E from 'fp-ts/Either';
import * as t from 'io-ts';
import { brand } from '../../core/codec';
import { record } from '../../core/record';

const Place = brand('Place', t.string, {
  holds: (text) => text !== '',
  expected: 'a string that is not empty',
});

const Visit = record('Visit', {
  place: { codec: Place, required: true },
  guests: { codec: t.number, required: true },
  note: { codec: t.string, required: false },
} as const);

const visit = { place: 'Rome', guests: 2 };

const pollution: unknown = JSON.parse('{"__proto__":{"place":"Rome","guests":2}}');

describe('record', () => {
  it('has the type of its fields, read-only', () => {
    expectTypeOf<t.TypeOf<typeof Visit>>().toEqualTypeOf<{
      readonly place: t.TypeOf<typeof Place>;
      readonly guests: number;
      readonly note?: string;
    }>();
  });

  it('accepts a record with or without its optional fields', () => {
    expect(Visit.decode(visit)).to.deep.equal(E.right(visit));
    expect(Visit.decode({ ...visit, note: '' })).to.deep.equal(E.right({ ...visit, note: '' }));
    expect([Visit.is(visit), Visit.is({ ...visit, note: '' })]).to.deep.equal([true, true]);
  });

  it('leaves out unknown fields, and an optional field that is undefined', () => {
    const outcome = Visit.decode({ ...visit, note: undefined, price: 5, toString: 'x' });
    expect(outcome).to.deep.equal(E.right(visit));
    expect(E.isRight(outcome) && Object.keys(outcome.right)).to.deep.equal(['place', 'guests']);
    expect(Visit.is({ ...visit, note: undefined })).to.equal(false);
  });

  it('ignores inherited fields', () => {
    expect(Visit.decode(Object.create(visit))._tag).to.equal('Left');
    expect(Visit.decode(pollution)._tag).to.equal('Left');
    expect(Visit.decode(Object.assign(Object.create({ note: 'x' }), visit))).to.deep.equal(E.right(visit));
  });

  for (const value of [
    { guests: 2 },
    { ...visit, place: '' },
    { ...visit, guests: '2' },
    { ...visit, note: null },
    null,
    [visit],
    'Rome',
  ]) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      expect(Visit.decode(value)._tag).to.equal('Left');
      expect(Visit.is(value)).to.equal(false);
    });
  }

  it('encodes its own fields only', () => {
    const outcome = Visit.decode({ ...visit, note: 'x' });
    if (E.isLeft(outcome)) throw new Error('it is a visit');
    const encoded = Visit.encode({ ...outcome.right, ...{ price: 5 } });
    expect(encoded).to.deep.equal({ ...visit, note: 'x' });
    // Without exactOptionalPropertyTypes, TypeScript allows this value.
    const withoutNote: object = { note: undefined };
    expect(Visit.encode({ ...outcome.right, ...withoutNote })).to.have.all.keys('place', 'guests');
  });

  it('compares two records by all of its fields, and no others', () => {
    const outcome = Visit.decode({ ...visit, note: 'x' });
    if (E.isLeft(outcome)) throw new Error('it is a visit');
    const whole = outcome.right;
    const plain = { place: whole.place, guests: whole.guests };
    expect(Visit.eq.equals(whole, { ...whole, ...{ price: 5 } })).to.equal(true);
    expect(Visit.eq.equals(whole, { ...whole, guests: 3 })).to.equal(false);
    expect(Visit.eq.equals(whole, { ...whole, note: '' })).to.equal(false);
    expect(Visit.eq.equals(whole, plain)).to.equal(false);
    expect(Visit.eq.equals(plain, { ...plain })).to.equal(true);
  });
});
