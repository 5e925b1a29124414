import type { HttpFailure } from '../errors';
import { failureResponses, header, headerReferences, headers, response, schemas } from './components';

const get = (
  operationId: string,
  summary: string,
  success: object,
  ...failures: ReadonlyArray<HttpFailure['_tag']>
) => ({
  get: {
    operationId,
    summary,
    tags: ['service'],
    security: [],
    responses: {
      200: success,
      ...failureResponses(['MalformedRequest', 'RequestTimeout', ...failures]),
    },
  },
});

const health = (description: string, status: string) =>
  response(description, [], 'Health', { example: { status } });

const getDocument = (operationId: string, summary: string) => {
  const { get: operation } = get(
    operationId,
    summary,
    response('An OpenAPI 3.1 document.', ['ETag'], 'OpenApiDocument', {}),
  );
  const unchanged = {
    description: 'The document still has an ETag of the header If-None-Match.',
    headers: headerReferences(['ETag']),
  };
  const parameters = [
    {
      name: 'If-None-Match',
      in: 'header',
      description: 'ETags of documents that the client already has.',
      schema: { type: 'string' },
    },
  ];
  return { get: { ...operation, parameters, responses: { ...operation.responses, 304: unchanged } } };
};

/** OpenAPI 3.1 document of the paths outside /v1 that answer with JSON, which routes.ts serves. */
export const openApiServiceDocument = {
  openapi: '3.1.0',
  info: {
    title: 'Animal store: health checks and OpenAPI documents',
    version: '1.0.0',
    description:
      'These operations need no API key. The pages at `/` and `/docs` also have ETags. The port for operators (`ADMIN_PORT`) has the metrics.',
  },
  servers: [{ url: '.' }],
  tags: [{ name: 'service', description: 'Health checks and OpenAPI documents.' }],
  paths: {
    '/livez': get('getLiveness', 'Check that the process runs', health('The process runs.', 'live')),
    '/readyz': get(
      'getReadiness',
      'Check that the service can serve requests',
      health('The service can serve requests.', 'ready'),
      'NotReady',
    ),
    '/openapi.json': getDocument('getOpenApiDocument', 'Get the document of the operations on animals'),
    '/openapi-service.json': getDocument('getOpenApiServiceDocument', 'Get this document'),
  },
  components: {
    schemas: {
      Error: schemas.Error,
      Health: {
        type: 'object',
        required: ['status'],
        properties: { status: { type: 'string', enum: ['live', 'ready'] } },
      },
      OpenApiDocument: { type: 'object', properties: { openapi: { type: 'string' } } },
    },
    headers: {
      'X-Request-Id': headers['X-Request-Id'],
      'Retry-After': headers['Retry-After'],
      ETag: header(
        'Hash of the body (RFC 9110, 8.8.3).',
        '"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"',
        true,
      ),
    },
  },
};
