import * as E from 'fp-ts/Either';
import { type FieldRule, fieldCheck, listRules, pageSizeFromText, type PetPage } from '../../../core';
import { serializePage } from '../../json';
import type { HttpFailure } from '../message/failures';
import type { Headers } from './headers';
import type { PetOperation } from './pet-request';
import { jsonReply, unknownFieldsHeader } from './reply';

export const listPets: PetOperation = {
  method: 'GET',
  path: '/v1/pets',
  successStatus: 200,
  handle: async (store, { query, record }) => {
    const parameters = readQuery(query);
    if (E.isLeft(parameters)) return parameters;
    // Pass an invalid text on unchanged, so that the core rejects it.
    const known = parameters.right.filter(isKnown);
    const values = Object.fromEntries(
      known.map(({ name, value }) => [name, parsers[name]?.(value) ?? value]),
    );
    const page = await store.listPets(values, record.deadline.time)();
    if (E.isLeft(page)) return page;
    const names = parameters.right.map(({ name }) => name);
    const headers = { ...linkToNext(parameters.right, page.right), ...unknownFieldsHeader(names, parsers) };
    return E.right(jsonReply(listPets.successStatus, jsonOf(page.right), headers));
  },
};

let lastJson: { readonly page: PetPage; readonly bytes: Uint8Array } | undefined;

/**
 * Returns the JSON of a page. Keeps the JSON of the last frozen page, because concurrent equal lists share one page
 * object (`readPages` in adapters/knex/pets/read.ts).
 */
const jsonOf = (page: PetPage): Uint8Array => {
  if (lastJson?.page === page) return lastJson.bytes;
  const bytes = serializePage(page);
  if (Object.isFrozen(page) && Object.isFrozen(page.pets)) lastJson = { page, bytes };
  return bytes;
};

/** Maximum number of parameters. Parsing more would take longer than the list itself. */
const maxParameters = 100;

interface Parameter {
  readonly name: string;
  readonly value: string;
  /** Name and value as the client wrote them. */
  readonly text: string;
}

/** Splits a query into its parameters. Fails if there are too many, or a known one is repeated. */
const readQuery = (query: string): E.Either<HttpFailure, ReadonlyArray<Parameter>> => {
  const texts = query.split('&', maxParameters + 1);
  if (texts.length > maxParameters) {
    return E.left(invalidQuery([''], `a list of at most ${maxParameters} parameters`));
  }
  const written = texts.filter((text) => text !== '');
  // Adds `&`, because URLSearchParams would drop a question mark at the start. URLSearchParams leaves out empty texts,
  // as `written` does, so the indexes of both agree.
  const parameters = Array.from(new URLSearchParams(`&${query}`), ([name, value], index) => ({
    name,
    value,
    text: written[index] ?? '',
  }));
  const known = parameters.filter(isKnown).map(({ name }) => name);
  const repeated = new Set(known.filter((name, index) => known.indexOf(name) < index));
  return repeated.size > 0 ? E.left(invalidQuery(repeated, 'given only once')) : E.right(parameters);
};

const invalidQuery = (names: Iterable<string>, expected: string): HttpFailure => ({
  _tag: 'InvalidQuery',
  fields: Array.from(names, (name) => ({ name, rule: 'invalid', expected })),
});

/** Parsers of the known query parameters. They return undefined for a text that they can't parse. */
const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  limit: pageSizeFromText,
  ...Object.fromEntries(
    Object.entries<FieldRule>(listRules).map(([name, rule]) => [name, fieldCheck(rule).fromText]),
  ),
};

const isKnown = ({ name }: Parameter): boolean => Object.hasOwn(parsers, name);

/** Maximum length of a Link with unknown parameters, because proxies reject responses whose head is long. */
const maxLinkLength = 2_000;

/**
 * Returns the header Link to the next page (RFC 8288), or no header on the last page. The link is relative, so that it
 * works behind any path prefix. It keeps all parameters but `after` as the client wrote them, and encodes only quotes
 * and angle brackets, which would end it. A long link keeps only known parameters.
 */
const linkToNext = (parameters: ReadonlyArray<Parameter>, { pets, hasMore }: PetPage): Headers => {
  const last = pets.at(-1);
  if (!hasMore || last === undefined) return {};
  const linkWith = (kept: ReadonlyArray<Parameter>): string => {
    const texts = kept.map(({ text }) => text.replaceAll(/["<>]/g, encodeURIComponent));
    return `<?${[...texts, `after=${last.id}`].join('&')}>; rel="next"`;
  };
  const others = parameters.filter(({ name }) => name !== 'after');
  const link = linkWith(others);
  return { Link: link.length <= maxLinkLength ? link : linkWith(others.filter(isKnown)) };
};
