import { expect } from 'chai';
import { prometheusMetrics } from '../../../adapters/prometheus';
import { parseMetrics, type Samples } from '../../support/service/read-metrics';

interface Ended {
  readonly owner?: string;
  readonly status?: number;
  readonly milliseconds?: number;
}

const measured = async (requests: ReadonlyArray<Ended>): Promise<Samples> => {
  const none = { operations: [], rejectionStatuses: [], unauthorizedReasons: [], batchOperations: [] };
  const metrics = prometheusMetrics({ version: '1', ...none });
  for (const { owner, status = 200, milliseconds = 1 } of requests) {
    metrics.requests.started();
    metrics.requests.ended({ method: 'GET', route: '/a', status, milliseconds, owner });
  }
  return parseMetrics(await metrics.read({ isReady: true }));
};

describe('Counts by owner', () => {
  it('have a series for each of 100 owners, and one for all others', async () => {
    const owners = Array.from({ length: 250 }, (_, index) => `owner-${index}`);
    const samples = await measured([...owners, 'owner-0', 'owner-249'].map((owner) => ({ owner })));
    const name = 'animal_store_owner_requests_total';
    expect([...samples.keys()].filter((series) => series.startsWith(name))).to.have.lengthOf(101);
    expect(samples.get(`${name}{owner="_OTHER"}`)).to.equal(151);
    expect(samples.get(`${name}{owner="owner-0"}`)).to.equal(2);
  });

  it('include requests over the limit, from 0', async () => {
    const name = 'animal_store_owner_rate_limited_total{owner="shop"}';
    expect((await measured([{ owner: 'shop' }])).get(name)).to.equal(0);
    const limited = { owner: 'shop', status: 429 };
    expect((await measured([limited, limited])).get(name)).to.equal(2);
  });
});

describe('Durations of requests', () => {
  it('are a histogram in seconds: each bucket counts the requests up to its bound', async () => {
    const samples = await measured([0.5, 0.6, 30, 6_000].map((milliseconds) => ({ milliseconds })));
    const name = 'http_server_request_duration_seconds';
    const labels = 'http_request_method="GET",http_route="/a",http_response_status_code="200"';
    for (const [bound, count] of Object.entries({ '0.0005': 1, '0.025': 2, '0.05': 3, 5: 3, '+Inf': 4 })) {
      expect(samples.get(`${name}_bucket{le="${bound}",${labels}}`), bound).to.equal(count);
    }
    expect(samples.get(`${name}_sum{${labels}}`)).to.be.closeTo(6.0311, 1e-9);
  });
});
