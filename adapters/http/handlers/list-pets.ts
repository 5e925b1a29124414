import * as E from 'fp-ts/Either';
import * as t from 'io-ts';
import {
  fieldErrors,
  inDecimal,
  type PetQuery,
  PageSize,
  PetId,
  type PetPage,
  PetStatus,
} from '../../../core';
import { serialisePage } from '../../json';
import { type PetContext, succeed } from '../context';
import { fail } from '../errors';

const digits = /^[0-9]+$/;

const pageSizeInDigits = new t.Type<PageSize, string, unknown>(
  'PageSize in digits',
  PageSize.is,
  (input, context) =>
    PageSize.validate(typeof input === 'string' && digits.test(input) ? Number(input) : input, context),
  String,
);

const ListPetsParameters = t.partial({
  limit: pageSizeInDigits,
  after: inDecimal(PetId),
  status: PetStatus,
} satisfies { readonly [K in keyof Required<PetQuery>]: t.Mixed });

const parameterNames = Object.keys(ListPetsParameters.props);

/**
 * Returns the Link to the next page (RFC 8288). It is relative, so that it works behind any path prefix. It has the other
 * parameters as the client wrote them, except for characters that would end the Link.
 */
const linkToNext = (querystring: string, { pets, hasMore }: PetPage): string | undefined => {
  const last = pets.at(-1);
  if (!hasMore || last === undefined) return undefined;
  const others = querystring
    .split('&')
    .filter((pair) => pair !== '' && !new URLSearchParams(`&${pair}`).has('after'))
    .map((pair) => pair.replaceAll(/["<>]/g, encodeURIComponent));
  return `<?${[...others, `after=${last.id}`].join('&')}>; rel="next"`;
};

/** Handles `GET /v1/pets`, for the operation `listPets` in operations.ts. */
export const handleListPets = async (context: PetContext): Promise<void> => {
  const parameters = new URLSearchParams(context.search);
  const repeated = parameterNames.filter((name) => parameters.getAll(name).length > 1);
  if (repeated.length > 0) {
    const fieldErrors = repeated.map((field) => ({ field, expected: 'given only once' }));
    fail(context, { _tag: 'InvalidQuery', fieldErrors });
    return;
  }
  const query = ListPetsParameters.decode(Object.fromEntries(parameters));
  if (E.isLeft(query)) {
    fail(context, { _tag: 'InvalidQuery', fieldErrors: fieldErrors(query.left) });
    return;
  }
  const { store, deadline } = context.state;
  const listed = await store.listPets(query.right, deadline)();
  if (E.isLeft(listed)) {
    fail(context, listed.left);
    return;
  }
  succeed(context, serialisePage(listed.right));
  const link = linkToNext(context.querystring, listed.right);
  if (link !== undefined) context.set('Link', link);
};
