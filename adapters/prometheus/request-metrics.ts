import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Maximum number of owners with their own series. Without this limit, the number of series could grow without end. */
const maxOwners = 100;
const otherOwners = '_OTHER';

export interface EndedRequest {
  readonly method: string;
  readonly route: string | undefined;
  readonly status: number;
  readonly milliseconds: number;
  readonly owner: string | undefined;
  readonly reason?: string | undefined;
}

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly successStatus: number;
}

/** Labels whose series start at 0, because Prometheus misses the first increase of a series that starts at 1. */
export interface KnownLabels {
  readonly operations: ReadonlyArray<Operation>;
  /** Statuses of the requests that the HTTP server rejects. */
  readonly rejectionStatuses: ReadonlyArray<number>;
  /** Reasons of a 401. */
  readonly unauthorizedReasons: ReadonlyArray<string>;
}

// Bounds of the buckets. They begin below the 5 ms that OpenTelemetry recommends, because most list requests take less.
// They end at 5 s, because a request takes no longer, apart from the time to receive its body.
const boundsInSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

const failures = [500, 503];

export const requestMetrics = (
  registry: Registry,
  { operations, rejectionStatuses, unauthorizedReasons }: KnownLabels,
) => {
  const registers = [registry];
  const counter = (name: string, help: string, ...labelNames: ReadonlyArray<string>) =>
    new Counter({ name, help, labelNames, registers });
  const durations = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of HTTP server requests.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: boundsInSeconds,
    registers,
  });
  const rejections = counter(
    'animal_store_rejections_total',
    'Requests rejected before the application received them: timed out, or not valid HTTP.',
    'http_response_status_code',
  );
  const refusedConnections = counter(
    'animal_store_refused_connections_total',
    'Connections refused because MAX_CONNECTIONS was reached.',
  );
  const unauthorized = counter(
    'animal_store_unauthorized_requests_total',
    'Requests answered with 401, by reason.',
    'reason',
  );
  const byOwner = `by owner of the key; owners after the first ${maxOwners} are counted as ${otherOwners}.`;
  const ownerRequests = counter(
    'animal_store_owner_requests_total',
    `Authenticated requests ${byOwner}`,
    'owner',
  );
  const ownerRateLimited = counter(
    'animal_store_owner_rate_limited_total',
    `Authenticated requests that RATE_LIMIT rejected with 429, ${byOwner}`,
    'owner',
  );
  const owners = new Set<string>();
  let active = 0;
  new Gauge({
    name: 'http_server_active_requests',
    help: 'Number of HTTP requests in progress.',
    registers,
    collect() {
      this.set(active);
    },
  });

  // Clients can't create series, because a route is a template such as `/v1/pets/:petId`, and Node's parser rejects
  // unknown methods.
  const labelsOf = (method: string, route: string, status: number) => ({
    http_request_method: method,
    http_route: route,
    http_response_status_code: status,
  });
  for (const { method, path, successStatus } of operations) {
    for (const status of [successStatus, ...failures]) durations.zero(labelsOf(method, path, status));
  }
  for (const status of rejectionStatuses) rejections.inc({ http_response_status_code: status }, 0);
  for (const reason of unauthorizedReasons) unauthorized.inc({ reason }, 0);

  const countOwner = (ownerId: string, status: number): void => {
    const owner = owners.has(ownerId) || owners.size < maxOwners ? ownerId : otherOwners;
    if (!owners.has(owner)) {
      owners.add(owner);
      ownerRateLimited.inc({ owner }, 0);
    }
    ownerRequests.inc({ owner });
    if (status === 429) ownerRateLimited.inc({ owner });
  };

  return {
    started: (): void => {
      active += 1;
    },
    ended: ({ method, route = '', status, milliseconds, owner, reason }: EndedRequest): void => {
      active -= 1;
      durations.observe(labelsOf(method, route, status), milliseconds / 1000);
      if (owner !== undefined) countOwner(owner, status);
      if (reason !== undefined) unauthorized.inc({ reason });
    },
    rejected: ({ status }: { readonly status: number }): void => {
      rejections.inc({ http_response_status_code: status });
    },
    connectionRefused: (): void => {
      refusedConnections.inc();
    },
  };
};

/** Makes the metrics of database operations. Several requests can share one operation. */
export const batchMetrics = (registry: Registry, operations: ReadonlyArray<string>) => {
  const durations = new Histogram({
    name: 'db_client_operation_duration_seconds',
    help: 'Duration of a database operation that requests can share: list (a query for pages), find (a query by ids), create (a transaction that adds animals).',
    labelNames: ['db_operation_name'],
    buckets: [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers: [registry],
  });
  for (const operation of operations) durations.zero({ db_operation_name: operation });
  return {
    batch: (operation: string, _size: number, milliseconds: number): void => {
      durations.observe({ db_operation_name: operation }, milliseconds / 1000);
    },
  };
};
