import { componentsOf } from './openapi-components';
import { openApiServiceOperations } from './openapi-service-operations';
import { securitySchemes } from './security-schemes';

const description = `How the service is, beside its operations on animals. Only the metrics need an API key.

Every failure answers with an \`Error\`, as those of the operations on animals do.
`;

/** What stands beside `/v1` as an OpenAPI 3.1 document: the one source of what `/openapi-service.json` serves. */
export const openApiServiceDocument = {
  openapi: '3.1.0',
  info: { title: 'Animal store: the service', version: '1.0.0', description },
  externalDocs: { url: 'openapi.json', description: 'The operations on animals, and all error codes' },
  // Relative to the document, so that it holds behind any path of a proxy.
  servers: [{ url: '.' }],
  security: [{ bearerAuth: [] }],
  tags: [{ name: 'service', description: 'Health, metrics and the documents.' }],
  paths: openApiServiceOperations,
  components: { ...componentsOf(openApiServiceOperations), securitySchemes },
} as const;
