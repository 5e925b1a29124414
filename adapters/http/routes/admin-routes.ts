import { textResponder } from '../representation/text-responder';
import { decided } from '../responses/outcome';
import { type CheckReadiness, healthRoutes } from './health-routes';
import { type Route, type RouteGroup, withoutKey } from './route';

/** Ends with the service's metrics in the Prometheus text format, version 0.0.4. */
export type ReadMetrics = () => Promise<string>;

const contentType = 'text/plain; version=0.0.4; charset=utf-8';

const metricsRoute = (readMetrics: ReadMetrics): Route => ({
  method: 'GET',
  path: '/metrics',
  run: async ({ message }) => {
    const body = await readMetrics();
    const respond = textResponder({ body, contentType, headers: { 'Cache-Control': 'no-store' } });
    return decided(await respond(message.headers));
  },
});

/** What the operator's network alone is to see. */
export const adminRoutes = (checkReadiness: CheckReadiness, readMetrics: ReadMetrics): RouteGroup =>
  withoutKey(...healthRoutes(checkReadiness), metricsRoute(readMetrics));
