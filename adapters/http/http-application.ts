import * as O from 'fp-ts/Option';
import Koa, { type Context } from 'koa';
import type { ConsumeQuota, OpenAnimalStore } from '../../core';
import { answerPreflight } from './answer-preflight';
import { crossOriginHeaders } from './cross-origin-headers';
import { deprecationOf } from './deprecated';
import { errorBoundary } from './error-boundary';
import { refusedHead } from './refused-head';
import { mountMetricsRoute, type ReadMetrics } from './mount-metrics-route';
import { mountPetRoutes } from './mount-pet-routes';
import { type CheckReadiness, mountPublicRoutes } from './mount-public-routes';
import { reportRequest } from './report-request';
import type { Reporter } from './reporter';
import { requestId } from './request-id';
import { securityHeaders } from './security-headers';
import { setHeaders } from './set-headers';
import { sendFailure } from './send-failure';

interface Options {
  readonly openStore: OpenAnimalStore;
  readonly checkReadiness: CheckReadiness;
  readonly reporter: Reporter;
  /** Without it there is no `/metrics`. */
  readonly readMetrics?: ReadMetrics;
  /** Counts the requests of each key; without it they are not limited. */
  readonly consumeQuota?: ConsumeQuota | undefined;
  /** The origins whose pages may call the service, `*` for any. Without one CORS is off. */
  readonly corsOrigins?: ReadonlyArray<string>;
}

/** The service as a Koa application: what every request passes, then the routes. */
export const httpApplication = ({
  openStore,
  checkReadiness,
  reporter,
  readMetrics,
  consumeQuota,
  corsOrigins = [],
}: Options): Koa => {
  const app = new Koa();
  const crossOrigin = crossOriginHeaders(corsOrigins);
  app.on('error', (cause: unknown, { state }: Context) => {
    reporter.failure(cause, String(state['requestId']));
  });

  app.use(async (context, next) => {
    const id = requestId(context.req);
    context.state['requestId'] = id;
    setHeaders(context.res, securityHeaders);
    setHeaders(context.res, crossOrigin(context.req));
    context.res.setHeader('X-Request-Id', id);
    reportRequest(context, id, reporter);
    const refused = refusedHead(context);
    if (O.isNone(refused)) {
      await errorBoundary(context, next);
      return;
    }
    // What follows on the connection may be a part of what was not understood.
    context.set('Connection', 'close');
    setHeaders(context.res, deprecationOf(context.req));
    sendFailure(context, refused.value);
  });
  if (corsOrigins.length > 0) app.use(answerPreflight);
  mountPetRoutes(app, openStore, { consumeQuota });
  if (readMetrics !== undefined) mountMetricsRoute(app, openStore, readMetrics);
  mountPublicRoutes(app, checkReadiness);
  return app;
};
