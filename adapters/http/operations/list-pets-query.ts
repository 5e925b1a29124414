import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as t from 'io-ts';
import { fieldErrors, inDecimal, PageSize, PetId, type PetQuery, PetStatus } from '../../../core';
import type { HttpFailure } from '../responses/http-failures';

const defaultLimit = '20';

const digits = /^[0-9]+$/;

const pageSizeInDigits = new t.Type<PageSize, string, unknown>(
  'PageSize in digits',
  PageSize.is,
  (input, context) =>
    PageSize.validate(typeof input === 'string' && digits.test(input) ? Number(input) : input, context),
  String,
);

const once = <A, O>(codec: t.Type<A, O>): t.Type<A, O> =>
  new t.Type<A, O, unknown>(
    codec.name,
    codec.is,
    (input, context) =>
      Array.isArray(input) ? t.failure(input, context, 'given once') : codec.validate(input, context),
    codec.encode,
  );

const codecs = {
  limit: once(pageSizeInDigits),
  after: once(inDecimal(PetId)),
  status: once(PetStatus),
} satisfies { readonly [K in keyof Required<PetQuery>]: t.Mixed };

const names = Object.keys(codecs);

const { limit, ...optional } = codecs;
const listPetsParameters = t.intersection([t.type({ limit }), t.partial(optional)]);

const valuesOf = (parameters: URLSearchParams): Readonly<Record<string, unknown>> => {
  const values: Record<string, unknown> = { limit: defaultLimit };
  for (const name of names) {
    const given = parameters.getAll(name);
    if (given.length > 0) values[name] = given.length === 1 ? given[0] : given;
  }
  return values;
};

/** The page that a query string asks for. Parameters that listPets doesn't have are ignored. */
export const listPetsQuery = (parameters: URLSearchParams): E.Either<HttpFailure, PetQuery> =>
  pipe(
    listPetsParameters.decode(valuesOf(parameters)),
    E.mapLeft((errors) => ({ _tag: 'InvalidQuery', fieldErrors: fieldErrors(errors) })),
  );
