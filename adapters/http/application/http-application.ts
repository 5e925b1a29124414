import * as O from 'fp-ts/Option';
import Koa, { type Context } from 'koa';
import compose from 'koa-compose';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ConsumeQuota, OpenAnimalStore } from '../../../core';
import { answerPreflight } from './answer-preflight';
import { crossOriginHeaders } from '../protocol/cross-origin-headers';
import { deprecationOf } from '../protocol/deprecated';
import type { Headers } from '../protocol/headers';
import { refusedHead } from './refused-head';
import { mountMetricsRoute, type ReadMetrics } from '../routes/mount-metrics-route';
import { mountPetRoutes } from '../routes/mount-pet-routes';
import { type CheckReadiness, mountPublicRoutes } from '../routes/mount-public-routes';
import { reportRequest } from '../observability/report-request';
import type { Reporter } from '../observability/reporter';
import { requestId } from '../protocol/request-id';
import { securityHeaders } from '../protocol/security-headers';
import { setHeaders } from '../protocol/set-headers';
import type { Send } from '../responses/send';
import { sendFailure } from '../responses/send-failure';
import { writeAnswer } from '../responses/write-answer';

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

/** The service as a listener for requests, made with Koa: what every request passes, then the routes. */
export const httpApplication = ({
  openStore,
  checkReadiness,
  reporter,
  readMetrics,
  consumeQuota,
  corsOrigins = [],
}: Options): ((request: IncomingMessage, response: ServerResponse) => Promise<void>) => {
  const app = new Koa();
  const crossOrigin = crossOriginHeaders(corsOrigins);
  const own = ({ req, state }: Context): Headers => ({
    'X-Request-Id': String(state['requestId']),
    ...crossOrigin(req),
  });
  const common = (context: Context): Headers => ({ ...securityHeaders, ...own(context) });
  const write = writeAnswer(securityHeaders, own);
  const refuse: Send = (context, answer) => {
    write(context, { ...answer, headers: { ...deprecationOf(context.req), ...answer.headers } });
  };

  app.on('error', (cause: unknown, { state }: Context) => {
    reporter.failure(cause, String(state['requestId']));
  });
  if (corsOrigins.length > 0) app.use(answerPreflight(common));
  mountPetRoutes(app, openStore, { consumeQuota, send: write });

  app.use((context, next) => {
    setHeaders(context.res, common(context));
    return next();
  });
  if (readMetrics !== undefined) mountMetricsRoute(app, openStore, readMetrics);
  mountPublicRoutes(app, checkReadiness);

  const route = compose(app.middleware);
  const answer = async (context: Context): Promise<void> => {
    const id = requestId(context.req);
    context.state['requestId'] = id;
    reportRequest(context, id, reporter);
    const refused = refusedHead(context);
    if (O.isSome(refused)) {
      // What follows on the connection may be a part of what was not understood.
      context.set('Connection', 'close');
      sendFailure(context, refused.value, refuse);
      return;
    }
    await route(context);
    if (context.respond !== false) context.res.end(context.body);
  };
  // Not Koa's own callback: its on-finished would take a tenth of a request's time.
  return async (request, response) => {
    const context = app.createContext(request, response);
    try {
      await answer(context);
    } catch (cause) {
      sendFailure(context, { _tag: 'Defect', cause }, refuse);
    }
  };
};
