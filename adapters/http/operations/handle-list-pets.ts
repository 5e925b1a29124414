import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { PetPage } from '../../../core';
import type { Headers } from '../protocol/headers';
import { serialisePage } from '../representation/serialise';
import { flatMap, map } from '../task-either';
import { listPetsQuery } from './list-pets-query';
import type { Operation } from './operation';

/** The next page (RFC 8288), every parameter kept and `after` moved on, as a reference that holds behind any prefix. */
const linkToNext = (parameters: URLSearchParams, { pets, hasMore }: PetPage): Headers => {
  const last = pets.at(-1);
  if (!hasMore || last === undefined) return {};
  const next = new URLSearchParams(parameters);
  next.set('after', last.id.toString());
  return { Link: `<?${next.toString()}>; rel="next"` };
};

const parametersOf = (target = ''): URLSearchParams => {
  const start = target.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : target.slice(start + 1));
};

export const handleListPets: Operation = ({ message, deadline }, { listPets }) => {
  const parameters = parametersOf(message.url);
  return pipe(
    TE.fromEither(listPetsQuery(parameters)),
    flatMap((query) => listPets(query, deadline)),
    map((page) => ({ status: 200, body: serialisePage(page), headers: linkToNext(parameters, page) })),
  );
};
