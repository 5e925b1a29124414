import * as E from 'fp-ts/Either';
import { fieldType, type InvalidField, newPetRules, petFilters, petRules, type PetPage } from '../../../core';
import { serialisePage } from '../../json';
import { type PetContext, succeed } from '../context';
import { fail } from '../errors';

const digits = /^[0-9]+$/;

/** Functions that turn the text of a parameter into a value. The core rejects an invalid one. */
const filterReaders = Object.fromEntries(
  petFilters.map((name) => [name, fieldType(newPetRules[name]).fromText]),
);

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  limit: (text) => (digits.test(text) ? Number(text) : text),
  after: fieldType(petRules.id).fromText,
  ...filterReaders,
};

const readQuery = (parameters: URLSearchParams): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(readers).flatMap(([name, read]) => {
      const text = parameters.get(name);
      return text === null ? [] : [[name, read(text) ?? text]];
    }),
  );

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
  const repeated = Object.keys(readers).filter((name) => parameters.getAll(name).length > 1);
  if (repeated.length > 0) {
    const fields = repeated.map((name): InvalidField => ({ name, expected: 'given only once' }));
    fail(context, { _tag: 'InvalidQuery', fields });
    return;
  }
  const { store, deadline } = context.state;
  const listed = await store.listPets(readQuery(parameters), deadline)();
  if (E.isLeft(listed)) {
    fail(context, listed.left);
    return;
  }
  succeed(context, serialisePage(listed.right));
  const link = linkToNext(context.querystring, listed.right);
  if (link !== undefined) context.set('Link', link);
};
