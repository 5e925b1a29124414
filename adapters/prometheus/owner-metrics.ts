import { Counter, type Registry } from 'prom-client';

/** Limit for the number of series. Further owners are counted together. */
const mostOwners = 100;
const otherOwners = '_OTHER';

const tooManyRequests = 429;

interface CountedRequest {
  readonly owner: string;
  readonly route: string;
  readonly status: number;
  readonly isDeprecated: boolean;
}

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
 * Creates counters that prom-client collects at each scrape. Its own counters serialise the labels at each increase: three
 * of them took 5 % of a request's time.
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

const get = <K, V>(values: Map<K, V>, key: K, make: () => V): V => {
  const known = values.get(key);
  if (known !== undefined) return known;
  const made = make();
  values.set(key, made);
  return made;
};

export const ownerMetrics = (registry: Registry): ((request: CountedRequest) => void) => {
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

  return ({ owner, route, status, isDeprecated }) => {
    const label = byOwner.size < mostOwners || byOwner.has(owner) ? owner : otherOwners;
    const counts = get(byOwner, label, () => ({
      requests: requests({ owner: label }),
      rateLimited: rateLimited({ owner: label }),
      deprecatedByRoute: new Map<string, Count>(),
    }));
    counts.requests.value += 1;
    if (status === tooManyRequests) counts.rateLimited.value += 1;
    if (isDeprecated) {
      get(counts.deprecatedByRoute, route, () => deprecated({ http_route: route, owner: label })).value += 1;
    }
  };
};
