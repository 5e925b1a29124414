import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { textResponder } from '../representation/text-responder';
import { toOutcome } from '../responses/outcome';
import { type CheckReadiness, healthRoutes } from './health-routes';
import type { Route, RouteGroup } from './route';

/** Ends with the service's metrics in the Prometheus text format, version 0.0.4. */
export type ReadMetrics = () => Promise<string>;

const contentType = 'text/plain; version=0.0.4; charset=utf-8';

const metricsRoute = (readMetrics: ReadMetrics): Route => ({
  method: 'GET',
  path: '/metrics',
  run: ({ message }) =>
    pipe(
      TE.fromTask(async () =>
        textResponder({ body: await readMetrics(), contentType, headers: { 'Cache-Control': 'no-store' } })(
          message.headers,
        ),
      ),
      toOutcome(),
    ),
});

/** What the operator's network alone is to see: it needs no key. */
export const adminRoutes = (checkReadiness: CheckReadiness, readMetrics: ReadMetrics): RouteGroup => ({
  routes: [...healthRoutes(checkReadiness), metricsRoute(readMetrics)],
  owns: () => true,
  runUnmatched: (failure) => () => pipe(TE.left(failure), toOutcome()),
});
