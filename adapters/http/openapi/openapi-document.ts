import { componentsOf } from './openapi-components';
import { openApiErrorTable } from './openapi-error-table';
import { openApiPetOperations } from './openapi-pet-operations';

const description = `A catalogue of animals. Every operation needs an API key.

Integers are exact over the whole int64 range: read and write them without a detour through floating point.
A request may carry an \`X-Request-Id\`: it comes back with the answer and stands in the log.

Every failure, of any path, answers with an \`Error\`, to be told by its \`code\`:

<details><summary>All error codes</summary>

${openApiErrorTable}

</details>
`;

const securitySchemes = {
  bearerAuth: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, sent as `Authorization: Bearer <API_KEY>`.',
  },
};

/** The interface as an OpenAPI 3.1 document: the one source of what `/openapi.json` serves. */
export const openApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Animal store', version: '1.0.0', description },
  externalDocs: {
    url: 'openapi-service.json',
    description: 'The operations beside /v1: health and the documents',
  },
  // Relative to the document, so that it holds behind any path of a proxy.
  servers: [{ url: './v1' }],
  security: [{ bearerAuth: [] }],
  tags: [{ name: 'pets', description: 'The catalogue.' }],
  paths: openApiPetOperations,
  components: { ...componentsOf(openApiPetOperations), securitySchemes },
} as const;
