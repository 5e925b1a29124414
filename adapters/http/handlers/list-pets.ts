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

/** Returns the value of a parameter, or all its values if it is given more than once, which no codec accepts. */
const valueOf = (parameters: URLSearchParams, name: keyof PetQuery): unknown => {
  const [value, ...others] = parameters.getAll(name);
  return others.length === 0 ? value : [value, ...others];
};

/** Returns the Link to the next page (RFC 8288). It is relative, so that it works behind any path prefix. */
const linkToNext = (parameters: URLSearchParams, { pets, hasMore }: PetPage): string | undefined => {
  const last = pets.at(-1);
  if (!hasMore || last === undefined) return undefined;
  parameters.set('after', last.id.toString());
  return `<?${parameters.toString()}>; rel="next"`;
};

/** Handles `GET /v1/pets`, for the operation `listPets` in operations.ts. */
export const handleListPets = async (context: PetContext): Promise<void> => {
  const parameters = new URLSearchParams(context.search);
  const query = ListPetsParameters.decode({
    limit: valueOf(parameters, 'limit'),
    after: valueOf(parameters, 'after'),
    status: valueOf(parameters, 'status'),
  });
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
