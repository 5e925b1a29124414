import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { Context } from 'koa';
import type { PetPage } from '../../core';
import { andThen } from './and-then';
import type { Handler } from './handler';
import { listPetsQuery } from './list-pets-query';
import { serialisePage } from './serialise';

type Headers = Readonly<Record<string, string>>;

/** The next page's address (RFC 8288): every parameter kept, `after` moved on. */
const linkToNext = (path: string, parameters: URLSearchParams, { pets, hasMore }: PetPage): Headers => {
  const last = pets.at(-1);
  if (!hasMore || last === undefined) return {};
  const next = new URLSearchParams(parameters);
  next.set('after', last.id.toString());
  return { Link: `<${path}?${next.toString()}>; rel="next"` };
};

const pathOf = ({ originalUrl }: Context): string => originalUrl.split('?', 1).join();

export const handleListPets: Handler = (context, { listPets }) => {
  const parameters = new URLSearchParams(context.querystring);
  return pipe(
    listPetsQuery(parameters),
    andThen(listPets),
    TE.map((page) => ({
      status: 200,
      body: serialisePage(page),
      headers: linkToNext(pathOf(context), parameters, page),
    })),
  );
};
