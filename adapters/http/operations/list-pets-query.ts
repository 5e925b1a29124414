import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as t from 'io-ts';
import { fieldErrors, inDecimal, type ListPetsQuery, PageSize, PetId, PetStatus } from '../../../core';
import type { HttpFailure } from '../responses/http-failures';

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
} satisfies { readonly [K in keyof Required<ListPetsQuery>]: t.Mixed };

const names = Object.keys(codecs);

const listPetsParameters = t.partial(codecs);

const valuesOf = (parameters: URLSearchParams): Readonly<Record<string, unknown>> => {
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const given = parameters.getAll(name);
    if (given.length > 0) values[name] = given.length === 1 ? given[0] : given;
  }
  return values;
};

/** What a query string asks for. Parameters that listPets doesn't have are ignored. */
export const listPetsQuery = (parameters: URLSearchParams): E.Either<HttpFailure, ListPetsQuery> =>
  pipe(
    listPetsParameters.decode(valuesOf(parameters)),
    E.mapLeft((errors) => ({ _tag: 'InvalidQuery', fieldErrors: fieldErrors(errors) })),
  );
