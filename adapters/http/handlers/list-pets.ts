import * as E from 'fp-ts/Either';
import { type FieldRule, fieldType, listRules, type PetPage } from '../../../core';
import { serialisePage } from '../../json';
import type { HttpFailure } from '../errors';
import type { Headers } from '../headers';
import type { Handle } from '../received-request';
import { jsonReply, unknownFieldsHeader } from '../reply';

const digits = /^[0-9]{1,20}$/;

/** Maximum length of a Link with unknown parameters, because proxies reject responses whose head is long. */
const maxLinkLength = 2_000;

/** Parsers of the known query parameters. They return undefined for a text that they can't parse. */
const parameters: Readonly<Record<string, (text: string) => unknown>> = {
  limit: (text) => (digits.test(text) ? Number(text) : undefined),
  ...Object.fromEntries(
    Object.entries<FieldRule>(listRules).map(([name, rule]) => [name, fieldType(rule).fromText]),
  ),
};

/**
 * Parses the known parameters. Leaves invalid texts unchanged, so that the core rejects them. Fails on repeated
 * parameters.
 */
const readQuery = (given: URLSearchParams): E.Either<HttpFailure, Readonly<Record<string, unknown>>> => {
  const names = Object.keys(parameters).filter((name) => given.has(name));
  const repeated = names.filter((name) => given.getAll(name).length > 1);
  if (repeated.length > 0) {
    const fields = repeated.map((name) => ({ name, rule: 'invalid' as const, expected: 'given only once' }));
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
 * Returns the header Link to the next page (RFC 8288), or no header on the last page. The link is relative, so that it
 * works behind any path prefix. Keeps all parameters but `after` as the client wrote them, and encodes only quotes and
 * angle brackets, which would end the link. A long link keeps only known parameters.
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
export const handleListPets: Handle = async (store, { query, received }) => {
  const given = new URLSearchParams(`&${query}`);
  const values = readQuery(given);
  if (E.isLeft(values)) return values;
  const page = await store.listPets(values.right, received.deadline)();
  if (E.isLeft(page)) return page;
  const headers = { ...linkToNext(query, page.right), ...unknownFieldsHeader(given.keys(), parameters) };
  return E.right(jsonReply(200, serialisePage(page.right), headers));
};
