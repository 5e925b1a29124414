import type { Route } from '../context';
import {
  openApiPath,
  type PetOperation,
  petOperations,
  type ServiceOperation,
  serviceOperations,
} from '../operations';
import {
  componentsOf,
  deprecationHeaderNames,
  failureResponses,
  headerReferences,
  quotaHeaderNames,
  successResponse,
} from './components';
import { errorTable } from './error-table';

const longDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const inWords = (date: string): string => longDate.format(new Date(date));

const documentPetOperation = (operation: PetOperation) => {
  const { operationId, summary, description = '', parameters, requestBody, success, deprecation } = operation;
  const announced = deprecation === undefined ? [] : deprecationHeaderNames;
  const counted = [...announced, ...quotaHeaderNames];
  return {
    operationId,
    summary,
    description:
      deprecation === undefined
        ? description
        : `Deprecated since ${inWords(deprecation.since)}, to be removed on ${inWords(deprecation.sunset)}. ${description}`,
    ...(deprecation === undefined ? {} : { deprecated: true, 'x-sunset': deprecation.sunset }),
    tags: ['pets'],
    ...(parameters === undefined ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: {
      [operation.successStatus]: successResponse(success, [...counted, ...(success.headers ?? [])]),
      ...failureResponses(['MissingApiKey', 'MalformedApiKey', 'InvalidApiKey', 'RequestTimeout'], announced),
      ...failureResponses(
        [...operation.failures, 'MalformedRequest', 'RateLimited', 'Defect', 'Unavailable'],
        counted,
      ),
    },
  };
};

const documentServiceOperation = ({ operationId, summary, success, failures }: ServiceOperation) => ({
  operationId,
  summary,
  tags: ['service'],
  security: [],
  responses: {
    200: successResponse(success, success.headers ?? []),
    ...(success.headers?.includes('ETag') === true
      ? {
          304: {
            description: 'Not modified: the client has the current document.',
            headers: headerReferences(['X-Request-Id', 'ETag']),
          },
        }
      : {}),
    ...failureResponses([...failures, 'MalformedRequest', 'RequestTimeout']),
  },
});

const pathsOf = <O extends Route>(
  operations: ReadonlyArray<O>,
  prefix: string,
  document: (operation: O) => object,
) => {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const path = openApiPath(operation.path.slice(prefix.length));
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: document(operation) };
  }
  return paths;
};

const petPaths = pathsOf(petOperations, '/v1', documentPetOperation);
const servicePaths = pathsOf(serviceOperations, '', documentServiceOperation);

const description = `A catalogue of animals. Every operation needs an API key.

Integers are exact over the whole int64 range: read and write them without converting them to floating point.
A request may have an \`X-Request-Id\`: the response and the log repeat it.

Every failure, on any path, has an \`Error\` body. Programs should check its \`code\`. The table below has all codes, also
the rare ones that no operation lists, and says which requests to retry. Before a retry, wait for the seconds in \`Retry-After\`, if the response has it. Retry a create with the same \`Idempotency-Key\`.

<details><summary>All error codes</summary>

${errorTable}

</details>
`;

const serviceDescription = `Health checks of the service, and its OpenAPI documents. These operations need no API key.

The metrics, in the Prometheus text format, are at \`/metrics\` on the port for operators (\`ADMIN_PORT\`) only.

Every failure has an \`Error\` body, as for the operations on animals.
`;

const securitySchemes = {
  bearerAuth: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key, sent as `Authorization: Bearer <API_KEY>`. On this page, paste the key without `Bearer`.',
  },
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
  paths: petPaths,
  components: { ...componentsOf(petPaths), securitySchemes },
};

export const openApiServiceDocument = {
  openapi: '3.1.0',
  info: {
    title: 'Animal store: health checks and OpenAPI documents',
    version: '1.0.0',
    description: serviceDescription,
  },
  externalDocs: { url: 'openapi.json', description: 'The operations on animals, and all error codes' },
  servers: [{ url: '.' }],
  tags: [{ name: 'service', description: 'Health checks and OpenAPI documents.' }],
  paths: servicePaths,
  components: componentsOf(servicePaths),
};
