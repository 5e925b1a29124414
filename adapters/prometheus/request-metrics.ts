import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { ownerMetrics } from './owner-metrics';

/** What is measured of a request that has ended. */
export interface EndedRequest {
  readonly method: string;
  readonly route: string | undefined;
  readonly status: number;
  readonly milliseconds: number;
  /** Whose key it came with, once that is known. */
  readonly owner: string | undefined;
  readonly isDeprecated: boolean;
}

/** An operation, by what is known of its requests before one has come. */
export interface Operation {
  readonly method: string;
  readonly route: string;
  /** The status of a success. */
  readonly success: number;
}

// OpenTelemetry's known methods (RFC 9110 and PATCH): semantic conventions for HTTP metrics.
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

// Finer than OpenTelemetry's advice: most lists take less than its first, 5 ms. No request takes longer than 5 s.
const buckets = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** An increase from nothing can't be seen: these are 0 from the start. */
const failures = [500, 503];
const rejectionStatuses = [400, 405, 408, 413, 431, 499, 503, 505];

/** Counts and times requests. A path that no route takes has an empty route, an unknown method is `_OTHER`. */
export const requestMetrics = (registry: Registry, operations: ReadonlyArray<Operation>) => {
  const registers = [registry];
  const countOwner = ownerMetrics(registry);
  let active = 0;

  const duration = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of HTTP server requests.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets,
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

  for (const { method, route, success } of operations) {
    for (const status of [success, ...failures]) {
      duration.zero({
        http_request_method: method,
        http_route: route,
        http_response_status_code: status,
      });
    }
  }
  for (const status of rejectionStatuses) rejections.inc({ http_response_status_code: status }, 0);

  return {
    started: (): void => {
      active += 1;
    },
    ended: ({ method, route = '', status, milliseconds, owner, isDeprecated }: EndedRequest): void => {
      active -= 1;
      duration.observe(
        {
          http_request_method: knownMethods.has(method) ? method : '_OTHER',
          http_route: route,
          http_response_status_code: status,
        },
        milliseconds / 1000,
      );
      if (owner !== undefined) countOwner({ owner, route, status, isDeprecated });
    },
    /** A request was rejected before the application saw it: it is neither active nor timed. */
    rejected: ({ status }: { readonly status: number }): void => {
      rejections.inc({ http_response_status_code: status });
    },
  };
};
