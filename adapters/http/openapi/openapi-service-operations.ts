import { headers } from './openapi-headers';
import { beforeRouting, failures, notModified, sharedFailures, success } from './openapi-responses';

const withoutKey = { tags: ['service'], security: [] };

const livez = {
  operationId: 'getLiveness',
  summary: 'Whether the process runs',
  ...withoutKey,
  responses: { 200: success('It runs.', 'Health', { status: 'live' }), ...sharedFailures(beforeRouting) },
};

const readyz = {
  operationId: 'getReadiness',
  summary: 'Whether requests can be served',
  ...withoutKey,
  responses: {
    200: success('They can.', 'Health', { status: 'ready' }),
    ...sharedFailures(beforeRouting),
    ...failures(['NotReady']),
  },
};

const document = (operationId: string, summary: string) => ({
  operationId,
  summary,
  ...withoutKey,
  responses: {
    200: success('An OpenAPI 3.1 document.', 'OpenApiDocument', undefined, headers('ETag')),
    ...notModified,
    ...sharedFailures(beforeRouting),
    ...failures(['Unavailable']),
  },
});

/** The operations beside `/v1`, by path. */
export const openApiServiceOperations = {
  '/livez': { get: livez },
  '/readyz': { get: readyz },
  '/openapi.json': { get: document('getOpenApiDocument', 'The document of the operations on animals') },
  '/openapi-service.json': { get: document('getOpenApiServiceDocument', 'This document') },
} as const;
