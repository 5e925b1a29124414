import * as E from 'fp-ts/Either';
import * as t from 'io-ts';
import { parse, type ParsedUrlQuery, stringify } from 'node:querystring';
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

/** Returns the Link to the next page (RFC 8288). It is relative, so that it works behind any path prefix. */
const linkToNext = (query: ParsedUrlQuery, { pets, hasMore }: PetPage): string | undefined => {
  const last = pets.at(-1);
  if (!hasMore || last === undefined) return undefined;
  return `<?${stringify({ ...query, after: String(last.id) })}>; rel="next"`;
};

/** Handles `GET /v1/pets`, for the operation `listPets` in operations.ts. */
export const handleListPets = async (context: PetContext): Promise<void> => {
  const parameters = parse(context.querystring, '&', '=', { maxKeys: 0 });
  const query = ListPetsParameters.decode(parameters);
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
  const link = linkToNext(parameters, listed.right);
  if (link !== undefined) context.set('Link', link);
};
