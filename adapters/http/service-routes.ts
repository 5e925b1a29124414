import { type Context, jsonType, type State } from './context';
import { openApiDocument, openApiServiceDocument } from './openapi/documents';
import {
  type CheckReadiness,
  healthOperations,
  type ServiceFunctions,
  type ServiceOperation,
  serviceOperations,
} from './operations';
import { docsPages, sendTextByOrigin } from './pages';
import { createRoutes, type Routes, type ServedRoute } from './routing';

interface OpenApiDocument {
  readonly servers: ReadonlyArray<{ readonly url: string }>;
}

/**
 * Makes the handler of an OpenAPI document. The document gets the absolute address of the server, because code
 * generators ignore a relative address.
 */
const sendDocument = (document: OpenApiDocument, path: string): ServiceFunctions['sendOpenApiDocument'] =>
  sendTextByOrigin((origin) => {
    const servers = origin === '' ? document.servers : [{ url: `${origin}${path}` }];
    return { body: JSON.stringify({ ...document, servers }), contentType: jsonType };
  });

type Handle = (context: Context) => Promise<void>;

const getRoute = (path: string, handle: Handle): ServedRoute<State> => [
  { operationId: path, method: 'GET', path, successStatus: 200 },
  handle,
];

const documents = {
  sendOpenApiDocument: sendDocument(openApiDocument, '/v1'),
  sendOpenApiServiceDocument: sendDocument(openApiServiceDocument, ''),
};

const operationRoutes = (
  operations: ReadonlyArray<ServiceOperation>,
  checkReadiness: CheckReadiness,
): ReadonlyArray<ServedRoute<State>> => {
  const functions = { ...documents, checkReadiness };
  return operations.map((operation) => [operation, (context) => operation.handle(context, functions)]);
};

/**
 * Makes the routes outside `/v1` of the public server. `adminRoutes` makes the routes of the admin server. app.ts calls
 * both.
 */
export const publicRoutes = (checkReadiness: CheckReadiness): Routes<State> =>
  createRoutes<State>([
    ...operationRoutes(serviceOperations, checkReadiness),
    ...docsPages().map(([path, handle]) => getRoute(path, handle)),
  ]);

export type ReadMetrics = () => Promise<string>;

const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

export const adminRoutes = (checkReadiness: CheckReadiness, readMetrics: ReadMetrics): Routes<State> =>
  createRoutes<State>([
    ...operationRoutes(healthOperations, checkReadiness),
    getRoute('/metrics', async (context) => {
      context.body = await readMetrics();
      context.set('Content-Type', metricsType);
    }),
  ]);
