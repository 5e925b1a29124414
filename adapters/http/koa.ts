import Router from '@koa/router';
import * as E from 'fp-ts/Either';
import type Koa from 'koa';
import type { ServerResponse } from 'node:http';
import type { Caller, OpenAnimalStore } from '../../core';
import type { HttpFailure } from './message/failures';
import { hasBody, headerOf, readBody, type ServedRequest } from './message/request';
import { answer, type StoreAccess } from './operations/answer';
import { failureOfMethods, operationsHint, petOperations } from './operations/pet-operations';
import type { PetOperation } from './operations/pet-request';
import { type Outcome, type Reply, replyOf } from './operations/reply';
import { RequestRecord } from './operations/request-record';

/** Options of `mountPetRoutes`: where a request has its API key, if not in the header `Authorization`. */
export interface MountOptions extends Pick<StoreAccess<Context>, 'apiKeyOfRequest'> {}

/**
 * Adds the routes of the operations under `/v1` to the Koa application of an embedding program. Authenticates a request
 * before it reads the body. A body parser that runs earlier must keep the body in `context.request.rawBody`.
 * Authentication sets `context.state.caller` to the Caller. To type this property, create the application as
 * `new Koa<{ caller?: Caller }>()`. For CORS, expose `exposedHeaders`. An error response has a body of the OpenAPI
 * schema `Error`. The cause of a 500 or 503 is emitted as the application's `error` event.
 * @example mountPetRoutes(app, storeOpener(ports));
 */
export const mountPetRoutes = (
  app: Pick<Koa, 'use'>,
  openStore: OpenAnimalStore,
  { apiKeyOfRequest }: MountOptions = {},
): void => {
  app.use(petRouter({ openStore, apiKeyOfRequest }).routes());
};

/** Adds the routes of the operations. Other requests under `/v1` get a 404 or 405, or a 401 without a valid key. */
export const addPetRoutes = (app: Koa, openStore: OpenAnimalStore): void => {
  const router = petRouter({ openStore });
  app.use(router.routes());
  app.use((context, next) => {
    if (!/^\/v1(?:\/|$)/.test(context.path)) return next();
    const handle = () => Promise.resolve(E.left(failureOfPath(router, context.path)));
    return serveOperation(context, { openStore }, { handle });
  });
};

const petRouter = (access: StoreAccess<Context>): Router<KoaState> => {
  const router = exactRouter();
  for (const operation of Object.values(petOperations)) {
    router.register(operation.path, [operation.method], (context) =>
      serveOperation(context, access, operation, context.params['petId']),
    );
  }
  return router;
};

/** Makes a router that distinguishes `/v1/pets` from `/V1/pets` and `/v1/pets/`. */
export const exactRouter = (): Router<KoaState> => new Router<KoaState>({ sensitive: true, strict: true });

/** Returns the failure of a path that has no route for the method of a request. */
export const failureOfPath = (router: Router<KoaState>, path: string, hint = operationsHint): HttpFailure =>
  failureOfMethods(
    router.match(path, '').path.flatMap(({ methods }) => methods),
    hint,
  );

/** Checks the API key and the rate limit, calls the handler, and writes the reply. */
const serveOperation = async (
  context: Context,
  access: StoreAccess<Context>,
  operation: Pick<PetOperation, 'handle'>,
  petIdText = '',
): Promise<void> => {
  const { req, request, querystring: query, state } = context;
  const record = recordOf(context);
  const reply = await answer(
    access,
    context,
    {
      record,
      petIdText,
      query,
      header: (name) => headerOf(req, name),
      hasBody: () => hasBody(req),
      readBody: () => readBody(req, 'rawBody' in request ? request.rawBody : undefined),
    },
    operation,
  );
  if (record.identity !== undefined) state.caller = record.identity.caller;
  writeReply(context, record, reply);
};

/** State of a request in Koa. `caller` is for the middleware of an embedding program. */
export interface KoaState {
  caller?: Caller;
}

export type Context = Koa.ParameterizedContext<KoaState>;

export type Middleware = Koa.Middleware<KoaState>;

/**
 * Request with its record. The record is a field of the request, because the HTTP server can reject a request without
 * knowing its Koa context.
 */
export interface RecordedRequest extends ServedRequest {
  requestRecord?: RequestRecord;
}

/** Returns the record of the request of a context. The first call makes the record. */
export const recordOf = ({ req, res }: { req: RecordedRequest; res: ServerResponse }): RequestRecord =>
  // Prefers the id that an embedding program has set in the response.
  (req.requestRecord ??= new RequestRecord(
    res.getHeader('X-Request-Id') ?? req.headers['x-request-id'],
    req.heldMs,
  ));

/** Writes the reply of a route that is not an operation. */
export const writeOutcome = (context: Context, outcome: Outcome): void => {
  const record = recordOf(context);
  record.outcome = outcome;
  writeReply(context, record, replyOf(outcome, record.id, {}, context.get('If-None-Match')));
};

/** Writes the reply. Emits the cause of a 500 or 503 as the application's `error` event. */
const writeReply = (context: Context, record: RequestRecord, { status, headers, body }: Reply): void => {
  // Keep the `Vary` that middleware for CORS has set, because `context.set` replaces it.
  const earlierVary = context.res.getHeader('Vary');
  record.reportCause((cause) => context.app.emit('error', cause, context));
  context.status = status;
  context.set(headers);
  if (earlierVary !== undefined) context.vary(String(earlierVary));
  if (status === 304) return;
  context.body = typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
};
