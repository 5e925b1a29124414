import { pipe } from 'fp-ts/function';
import type { PetPage } from '../../../core';
import { andMap } from '../and-map';
import { andThen } from '../and-then';
import type { Handler } from './handler';
import type { Headers } from '../protocol/headers';
import { listPetsQuery } from './list-pets-query';
import { pathOf } from '../protocol/path-of';
import { serialisePage } from '../representation/serialise';

/** The next page's address (RFC 8288): every parameter kept, `after` moved on. */
const linkToNext = (path: string, parameters: URLSearchParams, { pets, hasMore }: PetPage): Headers => {
  const last = pets.at(-1);
  if (!hasMore || last === undefined) return {};
  const next = new URLSearchParams(parameters);
  next.set('after', last.id.toString());
  return { Link: `<${path}?${next.toString()}>; rel="next"` };
};

export const handleListPets: Handler = (context, { listPets }) => {
  const parameters = new URLSearchParams(context.querystring);
  return pipe(
    listPetsQuery(parameters),
    andThen(listPets),
    andMap((page) => ({
      status: 200,
      body: serialisePage(page),
      headers: linkToNext(pathOf(context.originalUrl), parameters, page),
    })),
  );
};
