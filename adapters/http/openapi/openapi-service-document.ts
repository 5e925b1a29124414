import { componentsOf } from './openapi-components';
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

/** By path. */
const operations = {
  '/livez': { get: livez },
  '/readyz': { get: readyz },
  '/openapi.json': { get: document('getOpenApiDocument', 'The document of the operations on animals') },
  '/openapi-service.json': { get: document('getOpenApiServiceDocument', 'This document') },
} as const;

const description = `How the service is, beside its operations on animals. None of it needs an API key.

Metrics in the Prometheus text format are no part of it: they are at \`/metrics\` on a port of the operator's own, where the setting \`ADMIN_PORT\` names one.

Every failure answers with an \`Error\`, as those of the operations on animals do.
`;

/** What stands beside `/v1` as an OpenAPI 3.1 document: the one source of what `/openapi-service.json` serves. */
export const openApiServiceDocument = {
  openapi: '3.1.0',
  info: { title: 'Animal store: the service', version: '1.0.0', description },
  externalDocs: { url: 'openapi.json', description: 'The operations on animals, and all error codes' },
  // Relative to the document, so that it holds behind any path of a proxy.
  servers: [{ url: '.' }],
  tags: [{ name: 'service', description: 'Health and the documents.' }],
  paths: operations,
  components: componentsOf(operations),
} as const;
