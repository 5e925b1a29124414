import { componentsOf } from './openapi-components';
import { openApiServiceOperations } from './openapi-service-operations';

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
  paths: openApiServiceOperations,
  components: componentsOf(openApiServiceOperations),
} as const;
