import * as E from 'fp-ts/Either';
import { fieldType, listOrderRule, newPetRules, petFilters, type PetPage, petRules } from '../../../core';
import { serialisePage } from '../../json';
import type { Headers, HttpFailure } from '../errors';
import { type Handle, jsonReply, unknownFieldsHeader } from '../messages';

const digits = /^[0-9]{1,20}$/;

/** Maximum length of a Link that keeps unknown parameters. Proxies reject longer heads of a response. */
const maxLinkLength = 2_000;

/** Functions that turn the text of a parameter into a value, or undefined. */
const parameters: Readonly<Record<string, (text: string) => unknown>> = {
  limit: (text) => (digits.test(text) ? Number(text) : undefined),
  after: fieldType(petRules.id).fromText,
  order: fieldType(listOrderRule).fromText,
  ...Object.fromEntries(petFilters.map((name) => [name, fieldType(newPetRules[name]).fromText])),
};

/** Reads the known parameters of a query. A text that is not a valid value stays a text, which the core rejects. */
const readQuery = (given: URLSearchParams): E.Either<HttpFailure, Readonly<Record<string, unknown>>> => {
  const names = Object.keys(parameters).filter((name) => given.has(name));
  const repeated = names.filter((name) => given.getAll(name).length > 1);
  if (repeated.length > 0) {
    const fields = repeated.map((name) => ({ name, expected: 'given only once' }));
    return E.left({ _tag: 'InvalidQuery', fields });
  }
  return E.right(
    Object.fromEntries(
      names.map((name) => {
        const text = given.get(name) ?? '';
        return [name, parameters[name]?.(text) ?? text];
      }),
    ),
  );
};

/**
 * Returns the Link to the next page (RFC 8288). It is relative, to work behind any path prefix. The other parameters
 * stay as the client wrote them, but characters that would end the Link are encoded. A long Link keeps only known
 * parameters.
 */
const linkToNext = (query: string, { pets, hasMore }: PetPage): Headers => {
  const last = pets.at(-1);
  if (!hasMore || last === undefined) return {};
  const linkWith = (isKept: (name: string) => boolean): string => {
    const kept = (query === '' ? [] : query.split('&'))
      .filter((pair) =>
        [...new URLSearchParams(`&${pair}`).keys()].some((name) => name !== 'after' && isKept(name)),
      )
      .map((pair) => pair.replaceAll(/["<>]/g, encodeURIComponent));
    return `<?${[...kept, `after=${last.id}`].join('&')}>; rel="next"`;
  };
  const link = linkWith(() => true);
  return { Link: link.length <= maxLinkLength ? link : linkWith((name) => name in parameters) };
};

/** Handles `GET /v1/pets`. */
export const handleListPets: Handle = async (store, { query, deadline }) => {
  const given = new URLSearchParams(`&${query}`);
  const values = readQuery(given);
  if (E.isLeft(values)) return values;
  const page = await store.listPets(values.right, deadline)();
  if (E.isLeft(page)) return page;
  return E.right(
    jsonReply(200, serialisePage(page.right), {
      ...linkToNext(query, page.right),
      ...unknownFieldsHeader(given.keys(), parameters),
    }),
  );
};
