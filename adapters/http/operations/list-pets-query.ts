import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as t from 'io-ts';
import { fieldFaults, inDecimal, PageSize, PetId, type PetQuery, PetStatus } from '../../../core';
import type { InvalidQuery } from '../responses/http-failures';

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

const listPetsParameters = t.intersection([
  t.type({ limit: once(pageSizeInDigits) }),
  t.partial({ after: once(inDecimal(PetId)), status: once(PetStatus) }),
]);

const valueOf = (parameters: URLSearchParams, name: string): Readonly<Record<string, unknown>> => {
  const values = parameters.getAll(name);
  return values.length === 0 ? {} : { [name]: values.length === 1 ? values[0] : values };
};

/** The page that a query string asks for. Parameters that listPets doesn't have are ignored. */
export const listPetsQuery = (parameters: URLSearchParams): E.Either<InvalidQuery, PetQuery> =>
  pipe(
    listPetsParameters.decode({
      limit: defaultLimit,
      ...valueOf(parameters, 'limit'),
      ...valueOf(parameters, 'after'),
      ...valueOf(parameters, 'status'),
    }),
    E.mapLeft((errors) => ({ _tag: 'InvalidQuery', faults: fieldFaults(errors) })),
  );
