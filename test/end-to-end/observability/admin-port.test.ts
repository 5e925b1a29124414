import { expect } from 'chai';
import { connectTo, getRequest, headOf, rawExchange } from '../../support/http/raw-connection';
import { throughProxy } from '../../support/postgres/freezing-proxy';
import { inPostgresDatabase } from '../../support/postgres/postgres';
import { readMetrics } from '../../support/service/read-metrics';
import { serveInProcess, whileServing } from '../../support/service/serve-in-process';
import type { RunningService } from '../../support/service/service-process';
import { newDatabaseFile, removeFolders } from '../../support/temporary-folder';

const maxConnections = 20;

const statusesOf = (address: string, paths: ReadonlyArray<string>): Promise<ReadonlyArray<number>> =>
  Promise.all(
    paths.map(async (path) => {
      const response = await fetch(`${address}${path}`);
      await response.text();
      return response.status;
    }),
  );

describe('The port of the operator', () => {
  let service: RunningService;

  before(async () => {
    service = await serveInProcess({
      DATABASE_URL: `sqlite:${await newDatabaseFile()}`,
      ADMIN_PORT: '0',
      MAX_CONNECTIONS: String(maxConnections),
    });
  });
  after(() => service.stop());
  after(removeFolders);

  it('answers while the public port refuses connections', async () => {
    const kept = Array.from({ length: maxConnections }, () => connectTo(service.address));
    for (const connection of kept) {
      connection.send(getRequest('/livez'));
      await connection.received(/live/);
    }
    await connectTo(service.address).closed();
    const admin = await service.adminAddress();
    const paths = Array.from({ length: 5 }, () => ['/livez', '/readyz', '/metrics']).flat();
    expect(new Set(await statusesOf(admin, paths))).to.deep.equal(new Set([200]));
    const samples = await readMetrics(service);
    expect(samples.get('animal_store_refused_connections_total')).to.equal(1);
    expect(samples.get('animal_store_open_connections')).to.equal(maxConnections);
    for (const { destroy } of kept) destroy();
  });

  it('is on this machine alone unless told otherwise, and its requests are not logged as those of clients', async () => {
    const admin = await service.adminAddress();
    expect(new URL(admin).hostname).to.equal('127.0.0.1');
    await statusesOf(admin, ['/livez', '/metrics']);
    await statusesOf(service.address, ['/openapi.json']);
    expect(service.stdout()).to.include('"path":"/openapi.json"').and.not.include('"path":"/metrics"');
  });

  it('answers other methods, also CONNECT, with 405 and an Allow header', async () => {
    for (const target of ['POST /metrics', 'DELETE /readyz', 'CONNECT example.org:443', 'CONNECT /metrics']) {
      const request = headOf(`${target} HTTP/1.1`, 'Host: a', 'Connection: close');
      const { status, headers, body } = await rawExchange(await service.adminAddress(), request);
      expect([status, headers.get('allow')], target).to.deep.equal([405, 'GET, HEAD']);
      expect(body, target).to.include(
        '"code":"method_not_allowed","message":"method not allowed; use GET, HEAD"',
      );
    }
    expect(await statusesOf(await service.adminAddress(), ['/livez'])).to.deep.equal([200]);
  });

  it('says at an unknown path what it has', async () => {
    const response = await fetch(`${await service.adminAddress()}/v1/pets`);
    expect(response.status).to.equal(404);
    expect(await response.text()).to.include('this server has /livez, /readyz and /metrics');
  });

  it('shows metrics while the database hangs', () =>
    inPostgresDatabase((url) =>
      throughProxy(url, async (DATABASE_URL, { freeze, thaw }) => {
        const hung = await serveInProcess({ DATABASE_URL, ADMIN_PORT: '0' });
        freeze();
        const metrics = await readMetrics(hung);
        expect(metrics.get('animal_store_ready')).to.equal(0);
        expect(metrics.has('animal_store_valid_api_keys')).to.equal(false);
        thaw();
        await hung.stop();
      }),
    ));

  it('is not there where none is set', () =>
    whileServing({}, async ({ adminAddress }) => {
      expect(await adminAddress()).to.equal('no admin port');
    }));
});
