import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { IncomingHttpHeaders } from 'node:http';
import { type DocsFile, docsFiles } from '../docs/docs-files';
import { openApiDocument } from '../openapi/openapi-document';
import { openApiServiceDocument } from '../openapi/openapi-service-document';
import { serialiseHealth } from '../representation/serialise';
import { textResponder } from '../representation/text-responder';
import type { NotReady } from '../responses/http-failures';
import { jsonType, type HttpResponse } from '../responses/http-response';
import { toOutcome } from '../responses/outcome';
import { map } from '../task-either';
import type { Route, RouteGroup } from './route';

/** Whether requests can be served now. */
export type CheckReadiness = TE.TaskEither<NotReady, void>;

const health = (status: 'live' | 'ready') => (): HttpResponse => ({
  status: 200,
  body: serialiseHealth({ status }),
});

const healthRoute = (path: string, answer: TE.TaskEither<NotReady, HttpResponse>): Route => ({
  method: 'GET',
  path,
  run: () => pipe(answer, toOutcome()),
});

const textRoute = (
  path: string,
  respond: (headers: IncomingHttpHeaders) => Promise<HttpResponse>,
): Route => ({
  method: 'GET',
  path,
  run: ({ message }) =>
    pipe(
      TE.fromTask(() => respond(message.headers)),
      toOutcome(),
    ),
});

const documentRoute = (path: string, document: object): Route =>
  textRoute(path, textResponder({ body: JSON.stringify(document), contentType: jsonType }));

/** Relative, so that it holds behind any prefix of a proxy. */
const redirectRoute = (path: string, location: string): Route => ({
  method: 'GET',
  path,
  run: () =>
    pipe(TE.right({ status: 308, headers: { Location: location, 'Content-Length': '0' } }), toOutcome()),
});

/** None where the page is not there. */
const docsRoutes = (files: ReadonlyArray<DocsFile>): ReadonlyArray<Route> =>
  files.length === 0
    ? []
    : [
        redirectRoute('/', 'docs'),
        redirectRoute('/docs/', '../docs'),
        ...files.map(({ path, respond }) => textRoute(path, respond)),
      ];

/** What needs no key; every path that nothing is at is theirs to refuse. */
export const publicRoutes = (checkReadiness: CheckReadiness): RouteGroup => ({
  routes: [
    healthRoute('/livez', TE.fromIO(health('live'))),
    healthRoute('/readyz', pipe(checkReadiness, map(health('ready')))),
    documentRoute('/openapi.json', openApiDocument),
    documentRoute('/openapi-service.json', openApiServiceDocument),
    ...docsRoutes(docsFiles()),
  ],
  owns: () => true,
  runUnmatched: (failure) => () => pipe(TE.left(failure), toOutcome()),
});
