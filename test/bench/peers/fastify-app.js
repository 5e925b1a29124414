import Fastify from 'fastify';
import { linkToNext, parseBody } from './animal.js';
import {
  announce,
  deprecation,
  Failure,
  invalidBody,
  invalidQuery,
  isAuthorized,
  notFound,
  routeNotFound,
  tooLarge,
  unauthorized,
} from './http.js';

const json = 'application/json';

const failureOf = (error) => {
  if (error instanceof Failure) return error;
  if (error.validation !== undefined) return error.validationContext === 'body' ? invalidBody : invalidQuery;
  return error.statusCode === 413
    ? tooLarge
    : new Failure(error.statusCode ?? 500, 'internal_error', 'it failed');
};

/** A Fastify instance with what all of them do: the key, exact JSON, Error bodies; with `genReqId`, a request id too. */
export const fastifyApp = (options = {}) => {
  const app = Fastify({ bodyLimit: 100_000, ...options });
  const showsId = options.genReqId !== undefined;
  app.addHook('onRequest', (request, reply, done) => {
    if (showsId) reply.header('x-request-id', request.id);
    done(isAuthorized(request.headers.authorization) ? undefined : unauthorized);
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(json, { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, parseBody(text));
    } catch (error) {
      done(error);
    }
  });
  const fail = (failure, reply) => reply.code(failure.status).header('content-type', json).send(failure.text);
  app.setErrorHandler((error, _request, reply) => fail(failureOf(error), reply));
  app.setNotFoundHandler((_request, reply) => fail(routeNotFound, reply));
  return app;
};

/** The animals that are shown of `limit + 1` that were read; the Link goes to the reply. */
export const firstPage = (reply, query, rows) => {
  if (rows.length <= query.limit) return rows;
  rows.pop();
  reply.header('link', linkToNext(query, rows.at(-1).id));
  return rows;
};

/** An animal, or the failure that there is none; either way the operation is deprecated. */
export const found = (reply, pet) => {
  reply.headers(deprecation);
  if (pet === undefined) throw notFound;
  return pet;
};

export const serve = async (app) => {
  await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
  announce(app.server.address().port);
};
