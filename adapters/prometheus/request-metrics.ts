import { Counter, Gauge, type Registry } from 'prom-client';
import { ownerMetrics } from './owner-metrics';
import { requestDurations } from './request-durations';

const unauthorizedReasons = ['missing', 'malformed', 'unknown', 'expired', 'revoked'] as const;

export interface EndedRequest {
  readonly method: string;
  readonly route: string | undefined;
  readonly status: number;
  readonly milliseconds: number;
  readonly owner: string | undefined;
  readonly unauthorizedReason?: (typeof unauthorizedReasons)[number] | undefined;
  readonly isDeprecated: boolean;
}

export interface Operation {
  readonly method: string;
  /** Route template, as in `/v1/pets/:petId`. */
  readonly path: string;
  readonly successStatus: number;
}

// Methods that OpenTelemetry's conventions for HTTP metrics know (RFC 9110 and PATCH).
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

/** Statuses whose series start at 0. Prometheus can't compute an increase from a missing series. */
const failures = [500, 503];
const rejectionStatuses = [400, 405, 408, 413, 431, 499, 503, 505];

/** Counts and times requests. The route is empty if none matches, and an unknown method is `_OTHER`. */
export const requestMetrics = (registry: Registry, operations: ReadonlyArray<Operation>) => {
  const registers = [registry];
  const countOwner = ownerMetrics(registry);
  let active = 0;

  const durations = requestDurations();
  const rejections = new Counter({
    name: 'animal_store_rejections_total',
    help: 'Requests rejected before the application received them: shed under overload, timed out, or not valid HTTP.',
    labelNames: ['http_response_status_code'],
    registers,
  });
  const unauthorized = new Counter({
    name: 'animal_store_unauthorized_requests_total',
    help: 'Requests answered with 401, by reason.',
    labelNames: ['reason'],
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

  for (const { method, path, successStatus } of operations) {
    for (const status of [successStatus, ...failures]) durations.zero(method, path, status);
  }
  for (const status of rejectionStatuses) rejections.inc({ http_response_status_code: status }, 0);
  for (const reason of unauthorizedReasons) unauthorized.inc({ reason }, 0);

  return {
    started: (): void => {
      active += 1;
    },
    ended: ({ method, route = '', status, milliseconds, ...request }: EndedRequest): void => {
      active -= 1;
      durations.observe(knownMethods.has(method) ? method : '_OTHER', route, status, milliseconds / 1000);
      const { owner, isDeprecated, unauthorizedReason } = request;
      if (owner !== undefined) countOwner({ owner, route, status, isDeprecated });
      if (unauthorizedReason !== undefined) unauthorized.inc({ reason: unauthorizedReason });
    },
    durationsText: durations.text,
    rejected: ({ status }: { readonly status: number }): void => {
      rejections.inc({ http_response_status_code: status });
    },
  };
};
