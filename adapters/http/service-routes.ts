import type Router from '@koa/router';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type Koa from 'koa';
import type { HttpFailure, NotReady } from './errors';
import { jsonReply, newDeadline, type Reply } from './messages';
import { endInTime } from './operations';
import { documentReply, pages } from './pages';
import { type Context, exactRouter, respond, type State, unmatched } from './routes';

const addRoute = (
  router: Router<State>,
  path: string,
  handle: (context: Context) => TE.TaskEither<HttpFailure, Reply>,
): void => {
  router.get(path, async (context) => {
    context.state.route = path;
    respond(context, await endInTime(handle(context), { deadline: newDeadline() }));
  });
};

export type CheckReadiness = TE.TaskEither<NotReady, void>;

/** Paths of the health checks, whose requests are logged at level debug. */
export const healthPaths = ['/livez', '/readyz'] as const;

const addHealthRoutes = (router: Router<State>, checkReadiness: CheckReadiness): void => {
  addRoute(router, '/livez', () => TE.right(jsonReply(200, '{"status":"live"}')));
  addRoute(router, '/readyz', () =>
    pipe(
      checkReadiness,
      TE.map(() => jsonReply(200, '{"status":"ready"}')),
    ),
  );
};

const answerUnmatched =
  (router: Router<State>, hint?: string) =>
  (context: Context): void => {
    respond(context, E.left(unmatched(router, context.path, hint)));
  };

// Matches only texts without special characters of HTML or of a replacement string.
const plainOrigin = /^https?:\/\/[\w.:[\]-]+$/;
const plainPrefix = /^(?:\/[\w.~-]+)+$/;

/**
 * Returns the address that the client has used for the service, with the path prefix that a trusted proxy has removed.
 * Returns an empty text if the Host header is invalid.
 */
const addressOf = ({ app, host, request, URL: { origin } }: Context): string => {
  if (host === '' || !plainOrigin.test(origin)) return '';
  const prefix = app.proxy ? request.get('X-Forwarded-Prefix') : '';
  return plainPrefix.test(prefix) ? origin + prefix : origin;
};

/** Adds the routes of the public server that need no key: health checks, pages and the OpenAPI document. */
export const addPublicRoutes = (app: Koa, checkReadiness: CheckReadiness): void => {
  const router = exactRouter();
  addHealthRoutes(router, checkReadiness);
  for (const [path, reply] of [['/openapi.json', documentReply] as const, ...pages()]) {
    addRoute(router, path, (context) => {
      context.vary('Accept-Encoding');
      return TE.right(reply(addressOf(context), (coding) => context.acceptsEncodings(coding) === coding));
    });
  }
  app.use(router.routes());
  app.use(answerUnmatched(router));
};

export type ReadMetrics = () => Promise<string>;

const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

/** Adds the routes of the admin server, which need no key. */
export const addAdminRoutes = (app: Koa, checkReadiness: CheckReadiness, readMetrics: ReadMetrics): void => {
  const router = exactRouter();
  addHealthRoutes(router, checkReadiness);
  addRoute(router, '/metrics', () =>
    pipe(
      TE.fromTask(readMetrics),
      TE.map((body) => ({ status: 200, headers: { 'Content-Type': metricsType }, body })),
    ),
  );
  app.use(router.routes());
  app.use(answerUnmatched(router, 'this server has /livez, /readyz and /metrics'));
};
