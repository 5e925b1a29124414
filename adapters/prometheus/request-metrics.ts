import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { boundedLabel } from './bounded-label';

/** What is measured of a request that has ended. */
interface EndedRequest {
  readonly method: string;
  readonly route: string | undefined;
  readonly status: number;
  readonly milliseconds: number;
  readonly keyId: string | undefined;
  readonly isDeprecated: boolean;
}

export interface RequestMetrics {
  readonly started: () => void;
  readonly ended: (request: EndedRequest) => void;
  /** A request was rejected before the application saw it: it is neither active nor timed. */
  readonly rejected: (rejection: { readonly status: number }) => void;
}

// OpenTelemetry's known methods (RFC 9110 and PATCH) and advice on buckets: semantic conventions for HTTP metrics.
const knownMethods = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'TRACE',
]);
const buckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

const mostKeyIds = 100;

/** Counts and times requests. A path that no route takes has an empty route, an unknown method is `_OTHER`. */
export const requestMetrics = (registry: Registry): RequestMetrics => {
  const registers = [registry];
  const keyIdLabel = boundedLabel(mostKeyIds);
  let active = 0;

  const duration = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of HTTP server requests.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets,
    registers,
  });
  const deprecatedUses = new Counter({
    name: 'animal_store_deprecated_requests_total',
    help: `Authenticated requests of deprecated operations, by the id of the key: the first ${mostKeyIds} ids, then _OTHER.`,
    labelNames: ['http_route', 'key_id'],
    registers,
  });
  const rejections = new Counter({
    name: 'animal_store_rejections_total',
    help: 'Requests answered before the application saw them: too many were waiting, or they were no HTTP.',
    labelNames: ['http_response_status_code'],
    registers,
  });
  new Gauge({
    name: 'http_server_active_requests',
    help: 'Number of active HTTP server requests.',
    registers,
    collect() {
      this.set(active);
    },
  });

  return {
    started: () => {
      active += 1;
    },
    ended: ({ method, route = '', status, milliseconds, keyId, isDeprecated }) => {
      active -= 1;
      duration.observe(
        {
          http_request_method: knownMethods.has(method) ? method : '_OTHER',
          http_route: route,
          http_response_status_code: status,
        },
        milliseconds / 1000,
      );
      if (isDeprecated && keyId !== undefined) {
        deprecatedUses.inc({ http_route: route, key_id: keyIdLabel(keyId) });
      }
    },
    rejected: ({ status }) => {
      rejections.inc({ http_response_status_code: status });
    },
  };
};
