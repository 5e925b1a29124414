import { docsFiles } from '../docs/docs-files';
import { openApiDocument } from '../openapi/openapi-document';
import { openApiServiceDocument } from '../openapi/openapi-service-document';
import { textResponder } from '../representation/text-responder';
import { jsonType } from '../responses/http-response';
import { decided } from '../responses/outcome';
import { type CheckReadiness, healthRoutes } from './health-routes';
import { type Route, type RouteGroup, withoutKey } from './route';

type Respond = ReturnType<typeof textResponder>;

const textRoute = (path: string, respond: Respond): Route => ({
  method: 'GET',
  path,
  run: async ({ message }) => decided(await respond(message.headers)),
});

const documentRoute = (path: string, document: object): Route =>
  textRoute(path, textResponder({ body: JSON.stringify(document), contentType: jsonType }));

/** Relative, so that it holds behind any prefix of a proxy. */
const redirectRoute = (path: string, location: string): Route => ({
  method: 'GET',
  path,
  run: () =>
    Promise.resolve(decided({ status: 308, headers: { Location: location, 'Content-Length': '0' } })),
});

/** None where the page is not there. */
const docsRoutes = (): ReadonlyArray<Route> => {
  const files = docsFiles().map(({ path, respond }) => textRoute(path, respond));
  return files.length === 0 ? [] : [redirectRoute('/', 'docs'), redirectRoute('/docs/', '../docs'), ...files];
};

/** Health and the documents. */
export const publicRoutes = (checkReadiness: CheckReadiness): RouteGroup =>
  withoutKey(
    ...healthRoutes(checkReadiness),
    documentRoute('/openapi.json', openApiDocument),
    documentRoute('/openapi-service.json', openApiServiceDocument),
    ...docsRoutes(),
  );
