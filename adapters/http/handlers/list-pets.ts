import * as E from 'fp-ts/Either';
import * as t from 'io-ts';
import { parse, type ParsedUrlQuery } from 'node:querystring';
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
import { type PetContext, type ServerFunctions, succeed } from '../context';
import { fail } from '../errors';

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

const ListPetsParameters = t.partial(codecs);

const parseQuery = (query: string): ParsedUrlQuery => parse(query, '&', '=', { maxKeys: 0 });

// Characters that are invalid in a query (RFC 3986, section 3.4). The HTTP server of an embedding program may accept
// them. A Link copies the query of its request, so it must escape these characters.
const invalidInQuery = /[^\w.~:/?@!$&'()*+,;=%[\]-]/g;

/**
 * Returns the Link to the next page (RFC 8288). The Link is relative, so that it works behind any path prefix. Other
 * parameters are copied as sent, since encoding them again could make the Link too long for clients and proxies.
 */
const linkToNext = (query: string, { pets, hasMore }: PetPage): string | undefined => {
  const last = pets.at(-1);
  if (!hasMore || last === undefined) return undefined;
  const kept = query.split('&').filter((part) => part !== '' && !('after' in parseQuery(part)));
  const next = [...kept, `after=${last.id}`].join('&').replace(invalidInQuery, encodeURIComponent);
  return `<?${next}>; rel="next"`;
};

/** Handles `GET /v1/pets`, for the operation `listPets` in operations.ts. */
export const handleListPets = async (context: PetContext, { deadlineOf }: ServerFunctions): Promise<void> => {
  const { querystring } = context;
  const query = ListPetsParameters.decode(parseQuery(querystring));
  if (E.isLeft(query)) {
    fail(context, { _tag: 'InvalidQuery', fieldErrors: fieldErrors(query.left) });
    return;
  }
  const listed = await context.state.store.listPets(query.right, deadlineOf(context.req))();
  if (E.isLeft(listed)) {
    fail(context, listed.left);
    return;
  }
  succeed(context, serialisePage(listed.right));
  const link = linkToNext(querystring, listed.right);
  if (link !== undefined) context.set('Link', link);
};
