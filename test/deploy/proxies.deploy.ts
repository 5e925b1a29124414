import { expect } from 'chai';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { killPrograms, projectFolder, type Running, startProgram } from '../support/processes/command';
import { eventually } from '../support/eventually';
import { rawExchange } from '../support/http/raw-exchange';
import { freePort } from '../support/processes/free-port';
import { killServices, type ServiceProcess, startService } from '../support/service/service-process';
import { makeFolder, newDatabaseFile, removeFolders } from '../support/temporary-folder';

const key = 'a-key-of-this-test-that-is-long-enough';

/** A site of ours with the addresses of this test, in a folder of its own. */
const placed = async (path: string, replaced: ReadonlyArray<readonly [string, string]>): Promise<string> => {
  const file = join(await makeFolder(), 'site');
  const text = await readFile(join(projectFolder, path), 'utf8');
  for (const [from] of replaced) expect(text).to.include(from);
  await writeFile(
    file,
    replaced.reduce((site, [from, to]) => site.replace(from, to), text),
  );
  return file;
};

const startNginx = async (service: string, port: number): Promise<Running> => {
  const site = await placed('deploy/nginx/animal-store.conf', [
    ['listen 80;', `listen 127.0.0.1:${port};`],
    ['127.0.0.1:3000', service],
  ]);
  const folder = await makeFolder();
  await chmod(folder, 0o755);
  const main = `pid ${folder}/pid; error_log stderr warn; events {}
    http { access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
      fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s; include ${site}; }`;
  await writeFile(join(folder, 'nginx.conf'), main);
  return startProgram('nginx', ['-c', join(folder, 'nginx.conf'), '-g', 'daemon off; master_process off;'], {
    environment: { PATH: '/usr/sbin:/usr/bin:/bin' },
  });
};

const startHaproxy = async ([first, second]: readonly [string, string], port: number): Promise<Running> => {
  const site = await placed('deploy/haproxy/haproxy.cfg', [
    ['bind :80', `bind 127.0.0.1:${port}`],
    ['127.0.0.1:3001', first],
    ['127.0.0.1:3002', second],
  ]);
  return startProgram('haproxy', ['-db', '-f', site], { environment: { PATH: '/usr/sbin:/usr/bin:/bin' } });
};

const call = async (address: string, options: RequestInit = {}) => {
  const response = await fetch(address, { headers: { Authorization: `Bearer ${key}` }, ...options });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

const expectToServe = async (address: string): Promise<void> => {
  await eventually('the proxy is there', 20_000, () =>
    call(`${address}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  const created = await call(`${address}/v1/pets`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: '{"name":"Rex","categoryId":7}',
  });
  expect(created).to.include({ status: 201 });
  expect(created.headers.get('location')).to.match(/^pets\/[0-9]+$/);
  const refused = await call(`${address}/v1/pets`, { headers: {} });
  expect(refused).to.include({ status: 401 });
  expect(JSON.parse(refused.text)).to.have.property('code', 'unauthorized');
  const large = await call(`${address}/v1/pets`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'x'.repeat(4_000_000), categoryId: 7 }),
  });
  expect(large).to.include({ status: 413 });
  expect(JSON.parse(large.text)).to.have.property('code', 'payload_too_large');
};

const expectAnErrorBody = ({ status, headers, text }: Awaited<ReturnType<typeof call>>): void => {
  expect(status).to.equal(503);
  expect(headers.get('content-type')).to.match(/^application\/json/);
  expect(headers.get('retry-after')).to.equal('1');
  expect(JSON.parse(text)).to.include({ code: 'unavailable', status: 503 });
};

/** What a proxy may refuse before the service sees it, and what it may answer with. */
const refusedOnTheWay: ReadonlyArray<readonly [string, ReadonlyArray<number>]> = [
  ['GET /v1/pets HTTP/1.1\r\nno header', [400]],
  [`GET /v1/pets HTTP/1.1\r\nX: ${'x'.repeat(17_000)}`, [400, 431]],
  [`GET /v1/pets?x=${'x'.repeat(17_000)} HTTP/1.1`, [400, 431]],
  ['GET /v1/pets/%00 HTTP/1.1', [400, 401]],
  ['GET /v1/pets HTTP/3.0', [400, 505]],
  ['TRACE /v1/pets HTTP/1.1', [400, 401]],
];

const expectErrorBodies = async (address: string): Promise<void> => {
  for (const [head, statuses] of refusedOnTheWay) {
    const { status, headers, body } = await rawExchange(
      address,
      `${head}\r\nHost: h\r\nConnection: close\r\n\r\n`,
    );
    const request = head.slice(0, 40);
    expect(statuses, request).to.include(status);
    expect(headers.get('content-type'), request).to.match(/^application\/json/);
    expect(JSON.parse(body), request).to.include({ status }).and.to.include.keys('code', 'message');
  }
};

/** The longest target that the service takes makes the longest Link. */
const expectLongLinks = async (address: string): Promise<void> => {
  for (let index = 0; index < 2; index += 1) {
    await call(`${address}/v1/pets`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: '{"name":"Rex","categoryId":7}',
    });
  }
  const { status, headers } = await call(`${address}/v1/pets?limit=1&x=${'!'.repeat(14_000)}`);
  expect(status).to.equal(200);
  expect(headers.get('link')).to.match(/^<\?limit=1&x=!{14000}&after=[0-9]+>; rel="next"$/);
};

describe('Behind a proxy of deploy/', () => {
  let first: ServiceProcess;
  let port = 0;
  let address = '';
  let databaseUrl = '';

  beforeEach(async () => {
    databaseUrl = `sqlite:${await newDatabaseFile()}`;
    first = await startService({ API_KEYS: key, TRUST_PROXY: '1', DATABASE_URL: databaseUrl });
    port = await freePort();
    address = `http://127.0.0.1:${port}`;
  });

  afterEach(killPrograms);
  afterEach(killServices);
  afterEach(removeFolders);

  const hostOf = (service: ServiceProcess): string => new URL(service.address).host;

  it('nginx passes requests on, leaves the bounds to the service, and says in an Error body that it is gone', async () => {
    await startNginx(hostOf(first), port);
    await expectToServe(address);
    await expectLongLinks(address);
    await expectErrorBodies(address);
    const { stdout } = await first.stop();
    expect(stdout).to.include('127.0.0.1');
    expectAnErrorBody(await call(`${address}/v1/pets`));
  });

  it('HAProxy goes on with the instance that is left, and says in an Error body that none is', async () => {
    const second = await startService({ API_KEYS: key, TRUST_PROXY: '1', DATABASE_URL: databaseUrl });
    await startHaproxy([hostOf(first), hostOf(second)], port);
    await expectToServe(address);
    await expectLongLinks(address);
    await first.stop();
    for (let index = 0; index < 20; index += 1) {
      expect(await call(`${address}/v1/pets`)).to.include({ status: 200 });
    }
    await second.stop();
    await eventually(
      'HAProxy knows it',
      20_000,
      async () => (await call(`${address}/readyz`)).status === 503,
    );
    expectAnErrorBody(await call(`${address}/v1/pets`));
  });
});
