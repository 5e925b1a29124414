import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { PetPage } from '../../../core';
import type { Headers } from '../protocol/headers';
import { serialisePage } from '../representation/serialise';
import { flatMap, map } from '../task-either';
import { listPetsQuery } from './list-pets-query';
import type { Operation } from './operation';

const queryOf = (target = ''): string => {
  const start = target.indexOf('?');
  return start === -1 ? '' : target.slice(start + 1);
};

// What a target of a host's own server may hold and a reference may not (RFC 3986, section 3.4).
const noneOfAQuery = /[^\w.~:/?@!$&'()*+,;=%[\]-]/g;

/**
 * The next page (RFC 8288), every other parameter as it came and `after` moved on, as a reference that holds behind any
 * prefix. Encoded anew the others might grow to three times their length, past what clients and proxies take.
 */
const linkToNext = (query: string, { pets, hasMore }: PetPage): Headers => {
  const last = pets.at(-1);
  if (!hasMore || last === undefined) return {};
  const kept = query.split('&').filter((part) => part !== '' && !new URLSearchParams(part).has('after'));
  const next = [...kept, `after=${last.id}`].join('&').replace(noneOfAQuery, encodeURIComponent);
  return { Link: `<?${next}>; rel="next"` };
};

export const handleListPets: Operation = ({ message, deadline }, { listPets }) => {
  const query = queryOf(message.url);
  return pipe(
    TE.fromEither(listPetsQuery(new URLSearchParams(query))),
    flatMap((petQuery) => listPets(petQuery, deadline)),
    map((page) => ({ status: 200, body: serialisePage(page), headers: linkToNext(query, page) })),
  );
};
