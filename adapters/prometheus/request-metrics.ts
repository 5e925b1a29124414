import { Counter, Gauge, type Registry } from 'prom-client';
import { histogram } from './histogram';

const getOrAdd = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
};

const mostOwners = 100;
const otherOwners = '_OTHER';

const tooManyRequests = 429;

interface Count {
  readonly labels: Readonly<Record<string, string>>;
  value: number;
}

interface OwnerCounts {
  readonly requests: Count;
  readonly rateLimited: Count;
  readonly deprecatedByRoute: Map<string, Count>;
}

/**
 * Creates a counter whose values prom-client reads only at a scrape. Three counters of prom-client took 5 % of a
 * request's time, because they write their labels at each increase.
 */
const countsIn = (registry: Registry, name: string, help: string, labelNames: Array<string>) => {
  const counts: Array<Count> = [];
  new Counter({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, value } of counts) this.inc(labels, value);
    },
  });
  return (labels: Count['labels']): Count => {
    const count = { labels, value: 0 };
    counts.push(count);
    return count;
  };
};

const ownerMetrics = (registry: Registry) => {
  const bounded = `by owner of the key; owners after the first ${mostOwners} are counted as ${otherOwners}.`;
  const requests = countsIn(
    registry,
    'animal_store_owner_requests_total',
    `Authenticated requests ${bounded}`,
    ['owner'],
  );
  const rateLimited = countsIn(
    registry,
    'animal_store_owner_rate_limited_total',
    `Authenticated requests that RATE_LIMIT rejected with 429, ${bounded}`,
    ['owner'],
  );
  const deprecated = countsIn(
    registry,
    'animal_store_deprecated_requests_total',
    `Authenticated requests to deprecated operations, ${bounded}`,
    ['http_route', 'owner'],
  );
  const byOwner = new Map<string, OwnerCounts>();

  return (owner: string, route: string, { status, isDeprecated }: EndedRequest): void => {
    const label = byOwner.size < mostOwners || byOwner.has(owner) ? owner : otherOwners;
    const counts = getOrAdd(byOwner, label, () => ({
      requests: requests({ owner: label }),
      rateLimited: rateLimited({ owner: label }),
      deprecatedByRoute: new Map<string, Count>(),
    }));
    counts.requests.value += 1;
    if (status === tooManyRequests) counts.rateLimited.value += 1;
    if (isDeprecated) {
      getOrAdd(counts.deprecatedByRoute, route, () =>
        deprecated({ http_route: route, owner: label }),
      ).value += 1;
    }
  };
};

const unauthorizedReasons = [
  'missing_key',
  'malformed_key',
  'unknown_key',
  'expired_key',
  'revoked_key',
] as const;

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
  readonly path: string;
  readonly successStatus: number;
}

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

// OpenTelemetry recommends bounds from 5 ms, but most list requests take less. A request takes at most 5 s, not
// counting the time in which its body arrives.
const boundsInSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

type Observe = (seconds: number) => void;

const requestDurations = () => {
  const { addSeries, text } = histogram(
    'http_server_request_duration_seconds',
    'Duration of HTTP server requests.',
    boundsInSeconds,
  );
  const byRoute = new Map<string, Map<string, Map<number, Observe>>>();
  // Labels need no escaping: a route is a template such as `/v1/pets/:petId`, never text from a client.
  const observerOf = (method: string, route: string, status: number): Observe => {
    const byMethod = getOrAdd(byRoute, route, () => new Map<string, Map<number, Observe>>());
    const byStatus = getOrAdd(byMethod, method, () => new Map<number, Observe>());
    return getOrAdd(byStatus, status, () =>
      addSeries(
        `http_request_method="${method}",http_route="${route}",http_response_status_code="${status}"`,
      ),
    );
  };
  return { observerOf, text };
};

/** Statuses whose series start at 0, because Prometheus cannot compute the increase of a missing series. */
const failures = [500, 503];
const rejectionStatuses = [400, 405, 408, 413, 431, 499, 503, 505];

/** Makes the metrics of requests, which index.ts combines with the others. */
export const requestMetrics = (registry: Registry, operations: ReadonlyArray<Operation>) => {
  const registers = [registry];
  const countOwner = ownerMetrics(registry);
  let active = 0;

  const durations = requestDurations();
  const rejections = new Counter({
    name: 'animal_store_rejections_total',
    help: 'Requests rejected before the application received them: refused because of overload, timed out, or not valid HTTP.',
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
    help: 'Number of HTTP requests in progress or queued.',
    registers,
    collect() {
      this.set(active);
    },
  });

  for (const { method, path, successStatus } of operations) {
    for (const status of [successStatus, ...failures]) durations.observerOf(method, path, status);
  }
  for (const status of rejectionStatuses) rejections.inc({ http_response_status_code: status }, 0);
  for (const reason of unauthorizedReasons) unauthorized.inc({ reason }, 0);

  return {
    started: (): void => {
      active += 1;
    },
    ended: (request: EndedRequest): void => {
      const { method, route = '', status, milliseconds, owner, unauthorizedReason } = request;
      active -= 1;
      durations.observerOf(knownMethods.has(method) ? method : '_OTHER', route, status)(milliseconds / 1000);
      if (owner !== undefined) countOwner(owner, route, request);
      if (unauthorizedReason !== undefined) unauthorized.inc({ reason: unauthorizedReason });
    },
    durationsText: durations.text,
    rejected: ({ status }: { readonly status: number }): void => {
      rejections.inc({ http_response_status_code: status });
    },
  };
};
