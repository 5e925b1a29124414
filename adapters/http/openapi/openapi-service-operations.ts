import { openApiMetrics } from './openapi-metrics';
import { beforeRouting, failures, success } from './openapi-responses';

const servers = [{ url: '.', description: 'Beside `/v1`.' }];
const withoutKey = { tags: ['service'], security: [] };

const livez = {
  operationId: 'getLiveness',
  summary: 'Whether the process runs',
  ...withoutKey,
  responses: { 200: success('It runs.', 'Health', { status: 'live' }), ...failures(beforeRouting) },
};

const readyz = {
  operationId: 'getReadiness',
  summary: 'Whether requests can be served',
  ...withoutKey,
  responses: {
    200: success('They can.', 'Health', { status: 'ready' }),
    ...failures(['NotReady', ...beforeRouting]),
  },
};

const openapi = {
  operationId: 'getOpenApiDocument',
  summary: 'This document',
  ...withoutKey,
  responses: {
    200: success('An OpenAPI 3.1 document.', 'OpenApiDocument', undefined),
    ...failures(beforeRouting),
  },
};

/** The operations beside `/v1`, by path. */
export const openApiServiceOperations = {
  '/livez': { servers, get: livez },
  '/readyz': { servers, get: readyz },
  '/openapi.json': { servers, get: openapi },
  '/metrics': { servers, get: openApiMetrics },
} as const;
