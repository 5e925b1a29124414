import { type PetOperation, petOperations } from '../operations';
import { failureResponses, headers, schemas, successResponse } from './components';
import { errorTable } from './error-table';

const commonFailures = [
  ...(['MalformedRequest', 'MissingApiKey', 'RepeatedBearer', 'InvalidApiKey'] as const),
  ...(['RequestTimeout', 'QuotaExceeded', 'Defect', 'Unavailable'] as const),
];

const describeOperation = (operation: PetOperation) => {
  const { operationId, summary, description, parameters, requestBody, success, sunset } = operation;
  return {
    operationId,
    summary,
    description,
    ...(sunset === undefined ? {} : { deprecated: true, 'x-sunset': sunset }),
    tags: ['pets'],
    parameters,
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: {
      [operation.successStatus]: successResponse(success),
      ...failureResponses([...operation.failures, ...commonFailures]),
    },
  };
};

const paths: Record<string, Record<string, object>> = {};
for (const operation of petOperations) {
  const path = operation.path.replace('/v1', '').replace(/:(\w+)/g, '{$1}');
  paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describeOperation(operation) };
}

const description = `A catalogue of animals. Every operation needs an API key.

Integers are exact over the whole int64 range: read and write them without converting them to floating point.
A request may have an \`X-Request-Id\`: the response and the log repeat it.

Every failure, on any path, has an \`Error\` body. Programs should check its \`code\`. The table below has all codes, also
the rare ones that no operation lists, and says which requests to retry. Before a retry, wait for the seconds in \`Retry-After\`, if the response has it. Retry a create with the same \`Idempotency-Key\`.

<details><summary>All error codes</summary>

${errorTable}

</details>
`;

const bearerAuth = {
  type: 'http',
  scheme: 'bearer',
  description:
    'An API key, sent as `Authorization: Bearer <API_KEY>`. On this page, paste the key without `Bearer`.',
};

/**
 * OpenAPI 3.1 document of the operations under /v1, which routes.ts serves. The server address in it is
 * relative, so that the document works behind any path prefix.
 */
export const openApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Animal store', version: '1.0.0', description },
  servers: [{ url: './v1' }],
  security: [{ bearerAuth: [] }],
  tags: [{ name: 'pets', description: 'Animals of the catalogue.' }],
  paths,
  components: { schemas, headers, securitySchemes: { bearerAuth } },
};
