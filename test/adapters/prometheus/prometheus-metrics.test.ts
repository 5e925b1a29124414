import { expect } from 'chai';
import { prometheusMetrics } from '../../../adapters/prometheus';
import { parseMetrics, type Samples } from '../../support/service/read-metrics';

const measured = async (owners: ReadonlyArray<string>, status = 200): Promise<Samples> => {
  const { requests, read } = prometheusMetrics({ version: '1', operations: [] });
  for (const owner of owners) {
    requests.started();
    requests.ended({ method: 'GET', route: '/a', status, milliseconds: 1, owner });
  }
  return parseMetrics(await read());
};

describe('Counts by owner', () => {
  it('have a series for each of 100 owners, and one for all others', async () => {
    const owners = Array.from({ length: 250 }, (_, index) => `owner-${index}`);
    const samples = await measured([...owners, 'owner-0', 'owner-249']);
    const name = 'animal_store_owner_requests_total';
    expect([...samples.keys()].filter((series) => series.startsWith(name))).to.have.lengthOf(101);
    expect(samples.get(`${name}{owner="_OTHER"}`)).to.equal(151);
    expect(samples.get(`${name}{owner="owner-0"}`)).to.equal(2);
  });

  it('include requests over the limit, from 0', async () => {
    const name = 'animal_store_owner_rate_limited_total{owner="shop"}';
    expect((await measured(['shop'])).get(name)).to.equal(0);
    expect((await measured(['shop', 'shop'], 429)).get(name)).to.equal(2);
  });

  it('escape the characters of an owner', async () => {
    const samples = await measured(['a"b\\c\nd']);
    const series = [...samples.keys()].filter((name) => name.startsWith('animal_store_owner_requests_total'));
    expect(series).to.deep.equal([String.raw`animal_store_owner_requests_total{owner="a\"b\\c\nd"}`]);
  });
});

describe('Durations of requests', () => {
  const name = 'http_server_request_duration_seconds';
  const labels = 'http_request_method="GET",http_route="/a",http_response_status_code="200"';

  it('are a histogram: each bucket counts the requests up to its bound', async () => {
    const { requests, read } = prometheusMetrics({ version: '1', operations: [] });
    for (const milliseconds of [0.5, 0.6, 30, 6_000]) {
      requests.started();
      const asked = { method: 'GET', route: '/a', owner: undefined };
      requests.ended({ ...asked, status: 200, milliseconds });
    }
    const text = await read();
    expect(text).to.include(`# TYPE ${name} histogram`);
    const samples = parseMetrics(text);
    for (const [bound, count] of [
      ['0.0005', 1],
      ['0.001', 2],
      ['0.025', 2],
      ['0.05', 3],
      ['5', 3],
      ['+Inf', 4],
    ] as const) {
      expect(samples.get(`${name}_bucket{le="${bound}",${labels}}`), bound).to.equal(count);
    }
    expect(samples.get(`${name}_count{${labels}}`)).to.equal(4);
    expect(samples.get(`${name}_sum{${labels}}`)).to.be.closeTo(6.0311, 1e-9);
  });
});

describe('Requests without a valid key', () => {
  const series = (reason: string) => `animal_store_unauthorized_requests_total{reason="${reason}"}`;

  it('are counted by the reason, from 0', async () => {
    const { requests, read } = prometheusMetrics({ version: '1', operations: [] });
    const ended = { method: 'GET', route: '/a', status: 401, milliseconds: 1 };
    requests.started();
    requests.ended({ ...ended, owner: undefined, reason: 'revoked_key' });
    const samples = parseMetrics(await read());
    expect(samples.get(series('revoked_key'))).to.equal(1);
    for (const reason of ['missing_key', 'malformed_key', 'unknown_key', 'expired_key']) {
      expect(samples.get(series(reason)), reason).to.equal(0);
    }
  });
});
