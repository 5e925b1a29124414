import Router from '@koa/router';
import * as E from 'fp-ts/Either';
import type Koa from 'koa';
import type { OpenAnimalStore } from '../../../core';
import { answer, type StoreAccess } from '../operations/answer';
import { type HttpFailure, failureOfMethods } from '../operations/errors';
import { operationsHint, type PetOperation, petOperations } from '../operations/pet-operations';
import { hasBody, readBody } from '../message/request-body';
import { type Context, headerOf, type KoaState, recordOf, writeReply } from './context';

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
