import { fromEquals } from 'fp-ts/Eq';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as t from 'io-ts';

/** What `===` tells apart: two records are equal when all their fields are. */
type Primitive = string | number | bigint | boolean;

/** The codec of one field. */
interface FieldCodec extends t.Decoder<unknown, Primitive> {
  readonly is: t.Is<Primitive>;
  readonly _A: Primitive;
}

type Fields = Readonly<Record<string, FieldCodec>>;

type Flat<A> = { readonly [K in keyof A]: A[K] };

type RecordOf<R extends Fields, O extends Fields> = Flat<
  { readonly [K in keyof R]: R[K]['_A'] } & { readonly [K in keyof O]?: O[K]['_A'] }
>;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The codec of a record with these fields, and its type: `t.TypeOf` of it. Decoding keeps the fields that stand here,
 * and no others; what a value inherits is no field of it. Encoding makes a copy of these fields alone. An optional field
 * that is undefined is left out. With it come the fields that it was made from, and the equality of all of them.
 */
export const record = <R extends Fields, O extends Fields>(name: string, required: R, optional: O) => {
  type A = RecordOf<R, O>;
  const needed = Object.entries<FieldCodec>(required);
  const possible = Object.entries<FieldCodec>(optional);
  const all = [...needed, ...possible];

  const is = (value: unknown): value is A => {
    if (!isObject(value)) return false;
    for (const [field, codec] of needed) if (!codec.is(value[field])) return false;
    for (const [field, codec] of possible) {
      if (value[field] === undefined ? field in value : !codec.is(value[field])) return false;
    }
    return true;
  };

  const validate: t.Validate<unknown, A> = (input, context) => {
    if (!isObject(input)) return t.failure(input, context, 'an object');
    const errors: t.Errors = [];
    const decoded: Record<string, unknown> = {};
    for (const [field, codec] of all) {
      const value = Object.hasOwn(input, field) ? input[field] : undefined;
      if (value === undefined && field in optional) continue;
      pipe(
        codec.validate(value, t.appendContext(context, field, codec, value)),
        E.match(
          (fieldErrors) => void errors.push(...fieldErrors),
          (valid) => void (decoded[field] = valid),
        ),
      );
    }
    if (errors.length > 0) return t.failures(errors);
    return is(decoded) ? t.success(decoded) : t.failure(input, context);
  };

  const encode = (value: A): A => {
    const fields: Record<string, unknown> = {};
    for (const [field] of all) {
      const own: unknown = Reflect.get(value, field);
      if (own !== undefined) fields[field] = own;
    }
    if (!is(fields)) throw new TypeError(`no ${name}`);
    return fields;
  };

  const eq = fromEquals((one: A, other: A) =>
    all.every(([field]) => Reflect.get(one, field) === Reflect.get(other, field)),
  );

  return Object.assign(new t.Type<A, A>(name, is, validate, encode), { required, optional, eq });
};
