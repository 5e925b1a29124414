import * as E from 'fp-ts/Either';
import type { Eq } from 'fp-ts/Eq';
import * as t from 'io-ts';
import { decodeOrThrow } from './codec';

type Primitive = string | number | bigint | boolean;

interface FieldCodec extends t.Decoder<unknown, Primitive> {
  readonly is: t.Is<Primitive>;
  readonly _A: Primitive;
}

export type Fields = Readonly<Record<string, { readonly codec: FieldCodec; readonly required: boolean }>>;

type Flat<A> = { readonly [K in keyof A]: A[K] };

export type RecordOf<F extends Fields> = Flat<
  {
    readonly [K in keyof F as F[K]['required'] extends true ? K : never]: F[K]['codec']['_A'];
  } & {
    readonly [K in keyof F as F[K]['required'] extends true ? never : K]?: F[K]['codec']['_A'];
  }
>;

export interface RecordCodec<A> extends t.Type<A> {
  readonly required: ReadonlyArray<string>;
  readonly optional: ReadonlyArray<string>;
  readonly eq: Eq<A>;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Makes the codec of an object with these fields, for pets.ts and pet-query.ts. Decoding and encoding copy only these
 * fields, and leave out optional fields that are undefined. Decoding also ignores inherited properties.
 */
export const record = <F extends Fields>(name: string, fields: F): RecordCodec<RecordOf<F>> => {
  type A = RecordOf<F>;
  const all = Object.entries(fields);
  const required = all.filter(([, field]) => field.required).map(([field]) => field);
  const optional = all.filter(([, field]) => !field.required).map(([field]) => field);

  const is = (value: unknown): value is A =>
    isObject(value) &&
    all.every(([field, codec]) => {
      const own = value[field];
      return own === undefined ? !codec.required && !(field in value) : codec.codec.is(own);
    });

  const validate: t.Validate<unknown, A> = (input, context) => {
    if (!isObject(input)) return t.failure(input, context, 'an object');
    const errors: t.Errors = [];
    const copy: Record<string, unknown> = {};
    for (const [field, { codec, required: isRequired }] of all) {
      const value = Object.hasOwn(input, field) ? input[field] : undefined;
      if (value === undefined && !isRequired) continue;
      const decoded = codec.validate(value, t.appendContext(context, field, codec, value));
      if (E.isLeft(decoded)) errors.push(...decoded.left);
      else copy[field] = decoded.right;
    }
    const isDecoded = (_value: unknown): _value is A => errors.length === 0;
    return isDecoded(copy) ? t.success(copy) : t.failures(errors);
  };

  const encode = (value: A): A => {
    const copy: Record<string, unknown> = {};
    for (const [field] of all) {
      const own: unknown = Reflect.get(value, field);
      if (own !== undefined) copy[field] = own;
    }
    if (!is(copy)) {
      decodeOrThrow(codec, copy);
      throw new TypeError(`invalid ${name}: decode it first, as in decodeOrThrow(${name}, value)`);
    }
    return copy;
  };

  const eq: Eq<A> = {
    equals: (one, other) => all.every(([field]) => Reflect.get(one, field) === Reflect.get(other, field)),
  };

  const codec = new t.Type<A, A>(name, is, validate, encode);
  return Object.assign(codec, { required, optional, eq });
};
