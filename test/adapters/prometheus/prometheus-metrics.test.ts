import { expect } from 'chai';
import { prometheusMetrics } from '../../../adapters/prometheus';
import { growth, parseMetrics } from '../../support/read-metrics';

const uses = async (keyIds: ReadonlyArray<string>): Promise<Readonly<Record<string, number>>> => {
  const { requests, read } = prometheusMetrics();
  for (const keyId of keyIds) {
    requests.started();
    const ended = { method: 'GET', route: '/a', status: 200, milliseconds: 1, isDeprecated: true, keyId };
    requests.ended(ended);
  }
  return growth(new Map(), parseMetrics(await read()), 'animal_store_deprecated_requests_total');
};

describe('The count of deprecated uses', () => {
  it('has a series for each of 100 keys, and one for all others', async () => {
    const keyIds = Array.from({ length: 250 }, (_, index) => `key-${index}`);
    const series = await uses([...keyIds, 'key-0', 'key-249']);
    expect(Object.keys(series)).to.have.lengthOf(101);
    expect(series['animal_store_deprecated_requests_total{http_route="/a",key_id="_OTHER"}']).to.equal(151);
    expect(series['animal_store_deprecated_requests_total{http_route="/a",key_id="key-0"}']).to.equal(2);
  });
});
