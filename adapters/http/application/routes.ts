import type Router from '@koa/router';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type Koa from 'koa';
import { type Context, type KoaState, recordOf, writeOutcome } from '../koa';
import { exactRouter, failureOfPath } from '../koa';
import type { HttpFailure, NotReady } from '../message/failures';
import { securityHeaders } from '../operations/headers';
import { jsonReply, type Reply } from '../operations/reply';
import { publicUrlOf } from './forwarded';
import { documentReply, pages } from './pages';

export type CheckReadiness = TE.TaskEither<NotReady, void>;

/** Adds the routes that need no API key: health checks, pages and openapi.json. Other paths get a 404 or 405. */
export const addPublicRoutes = (app: Koa, checkReadiness: CheckReadiness, trustedProxies: number): void => {
  const router = exactRouter();
  addHealthRoutes(router, checkReadiness);
  for (const [path, reply] of [['/openapi.json', documentReply] as const, ...pages()]) {
    addRoute(router, path, (context) => {
      const accepts = (coding: string) => context.acceptsEncodings(coding) === coding;
      return TE.right(reply(publicUrlOf(context.req, trustedProxies), accepts));
    });
  }
  app.use(router.routes());
  app.use(answerUnmatched(router));
};

export type ReadMetrics = () => Promise<string>;

const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

/** Adds the routes of the admin server: health checks and metrics. They need no API key. */
export const addAdminRoutes = (app: Koa, checkReadiness: CheckReadiness, readMetrics: ReadMetrics): void => {
  const router = exactRouter();
  addHealthRoutes(router, checkReadiness);
  addRoute(router, '/metrics', () =>
    pipe(
      TE.fromTask(readMetrics),
      TE.map((body) => ({ status: 200, headers: { ...securityHeaders, 'Content-Type': metricsType }, body })),
    ),
  );
  app.use(router.routes());
  app.use(answerUnmatched(router, `this server has ${healthPaths.join(', ')} and /metrics`));
};

/** Paths of the health checks. Probes call them often, so their requests are logged only at level debug. */
export const healthPaths = ['/livez', '/readyz'] as const;

const [livePath, readyPath] = healthPaths;

const addHealthRoutes = (router: Router<KoaState>, checkReadiness: CheckReadiness): void => {
  addRoute(router, livePath, () => TE.right(jsonReply(200, '{"status":"live"}')));
  addRoute(router, readyPath, () =>
    pipe(
      checkReadiness,
      TE.map(() => jsonReply(200, '{"status":"ready"}')),
    ),
  );
};

const addRoute = (
  router: Router<KoaState>,
  path: string,
  handle: (context: Context) => TE.TaskEither<HttpFailure, Reply>,
): void => {
  router.get(path, async (context) => {
    const record = recordOf(context);
    record.route = path;
    writeOutcome(context, await record.deadline.endInTime(handle(context)()));
  });
};

const answerUnmatched =
  (router: Router<KoaState>, hint?: string) =>
  (context: Context): void => {
    writeOutcome(context, E.left(failureOfPath(router, context.path, hint)));
  };
