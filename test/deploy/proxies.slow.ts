import { expect } from 'chai';
import { Agent } from 'node:http';
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { openSqlite } from '../../adapters/knex';
import { call, idOf } from '../support/http/client';
import { eventually } from '../support/eventually';
import { connectTo, rawExchange, readHttpResponses } from '../support/http/raw-connection';
import { killPrograms } from '../support/processes/command';
import { needsPrograms, pidOf } from '../support/processes/system';
import { killServices, type ServiceProcess, startService } from '../support/service/service-process';
import { newDatabaseFile, removeFolders } from '../support/temporary-folder';
import { servePlainly } from '../support/http/listen';
import { type Proxy, proxies } from './support/proxies';
import { rejectedRequests } from './support/rejected-requests';

const key = 'a-key-of-this-test-that-is-long-enough';
const pet = '{"name":"Rex","categoryId":7}';

const headOfCreate = [
  ...['POST /v1/pets HTTP/1.1', 'Host: animals', 'Connection: close', `Authorization: Bearer ${key}`],
  ...['Content-Type: application/json', ''],
].join('\r\n');

/**
 * Pause within a body: shorter than the service's 20 s for a body, longer than the proxies' time limit for a response.
 */
const pauseMs = 11_000;

/**
 * Lines that redirect to https. The configurations have them as comments until TLS is added. Caddy redirects by
 * default.
 */
const redirects = [
  ['nginx', 'if ($scheme = http)'],
  ['HAProxy', 'http-request redirect scheme https'],
] as const;

/** Returns the body of a response from a proxy whose certificate is self-signed. */
const getOverHttp2 = async (address: string, path: string): Promise<string> => {
  const session = connect(address, { rejectUnauthorized: false });
  try {
    return await text(session.request({ ':path': path, authorization: `Bearer ${key}` }));
  } finally {
    session.close();
  }
};

const expectUnavailable = async (address: string): Promise<void> => {
  // Uses a new connection: on a used one, HAProxy would let the client repeat the request instead.
  const answer = await call(`${address}/v1/pets`, { key, agent: new Agent() });
  expect(answer.status, answer.text).to.equal(503);
  expect(answer.headers['content-type']).to.match(/^application\/json/);
  expect(answer.headers['retry-after']).to.equal('1');
  expect(JSON.parse(answer.text)).to.include({ code: 'unavailable', status: 503 });
};

for (const [name, startProxy] of proxies) {
  describe(`Behind ${name} with its shipped configuration`, () => {
    needsPrograms('nginx', 'haproxy', 'caddy', 'openssl');
    let services: readonly [ServiceProcess, ServiceProcess];
    let proxy: Proxy;
    let address = '';
    let file = '';

    before(async () => {
      file = await newDatabaseFile();
      const settings = { API_KEYS: key, TRUST_PROXY: '1', DATABASE_URL: `sqlite:${file}` };
      const first = await startService(settings);
      services = [first, await startService(settings)];
      const [one, other] = services.map((service) => new URL(service.address).host);
      proxy = await startProxy([one ?? '', other ?? '']);
      ({ address } = proxy);
      // The second animal makes a list of one page link to the next.
      for (let count = 0; count < 2; count += 1) await create(pet);
    });

    after(killPrograms);
    after(killServices);
    after(removeFolders);

    // Each create has a connection of its own, because a proxy closes a connection if it has not read the whole body.
    const create = (body: string) =>
      call(`${address}/v1/pets`, { method: 'POST', key, body, agent: new Agent() });

    if (name === 'HAProxy' && process.getuid?.() === 0) {
      it('runs as a user of its own', () => {
        const status = readFileSync(`/proc/${pidOf(proxy.program)}/status`, 'utf8');
        expect(/^Uid:\s+([0-9]+)/m.exec(status)?.[1]).to.not.equal('0');
      });
    }

    it('passes requests, relative links and the errors of the service on', async () => {
      const created = await create(pet);
      expect(created).to.include({ status: 201 });
      expect(created.headers.location, 'Location').to.match(/^pets\/[0-9]+$/);
      const refused = await call(`${address}/v1/pets`);
      expect(refused).to.include({ status: 401 });
      expect(JSON.parse(refused.text)).to.have.property('code', 'unauthorized');
    });

    it('answers over HTTP/2 and TLS', async () => {
      const { text: created } = await create(pet);
      expect(await getOverHttp2(proxy.tlsAddress, `/v1/pets/${idOf(created)}`)).to.equal(`${created}\n`);
    });

    it('leaves the limit of a body to the service', async () => {
      const answer = await create(JSON.stringify({ name: 'x'.repeat(4_000_000), categoryId: 7 }));
      expect(answer).to.include({ status: 413 });
      expect(JSON.parse(answer.text)).to.have.property('code', 'payload_too_large');
    });

    it('passes on a page for the longest query, with a Link that is short', async () => {
      const { status, headers } = await call(`${address}/v1/pets?limit=1&x=${'!'.repeat(15_500)}`, { key });
      expect(status).to.equal(200);
      expect(headers['link']).to.match(/^<\?limit=1&after=[0-9]+>; rel="next"$/);
    });

    it('answers HTTP/1.0 without a Host', async () => {
      const request = `GET /v1/pets?limit=1 HTTP/1.0\r\nAuthorization: Bearer ${key}\r\n\r\n`;
      expect(await rawExchange(address, request)).to.include({ status: 200 });
    });

    it('waits for a body as long as the service does, and answers no request before it is sent', async () => {
      const idle = connectTo(address);
      const connection = connectTo(address);
      connection.send(`${headOfCreate}Content-Length: ${pet.length}\r\n\r\n${pet.slice(0, 9)}`);
      await delay(pauseMs);
      connection.send(pet.slice(9));
      expect((await connection.closed()).toString(), 'response of the open request').to.match(
        /^HTTP\/1.1 201 /,
      );
      idle.send('GET /livez HTTP/1.1\r\nHost: animals\r\nConnection: close\r\n\r\n');
      expect((await idle.closed()).toString(), 'what an idle connection received').to.match(
        /^(?:HTTP\/1.1 200 |$)/,
      );
    });

    it('answers requests that it rejects with an Error body', async () => {
      for (const [head, statuses] of rejectedRequests[name] ?? []) {
        const bytes = `${head}\r\nHost: h\r\nConnection: close\r\n\r\n`;
        const { status, headers, body } = await rawExchange(address, bytes);
        const request = head.slice(0, 40);
        expect(statuses, request).to.include(status);
        expect(headers.get('content-type'), request).to.match(/^application\/json/);
        expect(JSON.parse(body), request).to.include({ status }).and.to.include.keys('code', 'message');
      }
    });

    it('answers a malformed chunk with an Error body', async () => {
      const connection = connectTo(address);
      connection.send(`${headOfCreate}Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n`);
      await connection.received(/^HTTP\/1.1 100 /);
      connection.send('zz\r\n\r\n');
      const answer = readHttpResponses(await connection.closed(), ['POST']).at(-1);
      // Caddy can't tell a malformed body from an instance that fails.
      const [status, code] = name === 'Caddy' ? [503, 'unavailable'] : [400, 'malformed_request'];
      expect(answer).to.include({ status });
      expect(JSON.parse(String(answer?.body)))
        .to.include({ code, status })
        .and.to.have.all.keys('code', 'message', 'status');
    });

    it('names the address of the request in the OpenAPI document, whatever the client says in X-Forwarded headers', async () => {
      const forged = { Host: 'evil.example', Proto: 'evil', Prefix: '/evil' };
      for (const [part, value] of Object.entries(forged)) {
        const document = await call(`${address}/openapi.json`, {
          headers: { [`X-Forwarded-${part}`]: value },
        });
        expect(JSON.parse(document.text), part).to.have.deep.property('servers', [{ url: `${address}/v1` }]);
      }
    });

    it('gives a head 10 s, and ends the connection with a 408 or without an answer', async () => {
      const connection = connectTo(address);
      const began = performance.now();
      connection.send('GET /v1/pets HTTP/1.1\r\nHost: animals\r\n');
      const received = (await connection.closed()).toString();
      expect(performance.now() - began).to.be.within(9_000, 15_000);
      expect(received).to.match(name === 'HAProxy' ? /^HTTP\/1.1 408 / : /^$/);
    });

    it('passes reads on while no instance is ready, because the database takes no writes', async () => {
      const holder = openSqlite(file);
      const transaction = await holder.writePool.transaction();
      await transaction('pets').insert({ name: 'never stored', category_id: 1 });
      const statusOf = async (each: string): Promise<number> => (await call(`${each}/readyz`)).status;
      for (const service of services) {
        await eventually('it is not ready', 20_000, async () => (await statusOf(service.address)) === 503);
      }
      const noticedAt = performance.now() + 10_000;
      while (performance.now() < noticedAt) {
        expect(await call(`${address}/v1/pets`, { key })).to.include({ status: 200 });
        await delay(50);
      }
      await transaction.rollback();
      await holder.close();
      await eventually('it is ready', 20_000, async () => (await statusOf(address)) === 200);
    });

    const [, redirect] = redirects.find(([proxyName]) => proxyName === name) ?? [];
    if (redirect !== undefined) {
      it('serves nothing without TLS once its line for that is added', async () => {
        const [one = '', other = ''] = services.map((service) => new URL(service.address).host);
        const secured = await startProxy([one, other], [[`# ${redirect}`, redirect]]);
        const { status, headers } = await call(`${secured.address}/v1/pets?limit=1`, { key });
        expect(status).to.equal(308);
        expect(headers.location).to.match(/^https:\/\/127\.0\.0\.1.*\/v1\/pets\?limit=1$/);
        expect(await getOverHttp2(secured.tlsAddress, '/v1/pets?limit=1')).to.include('"name":"Rex"');
      });
    }

    it('answers 503 with an Error body if an instance sends no complete response', async () => {
      const broken = await servePlainly((request, response) => {
        if (request.url === '/readyz') response.setHeader('Connection', 'close').end();
        else request.socket.destroy();
      });
      const { host } = new URL(broken.address);
      await expectUnavailable((await startProxy([host, host])).address);
      await broken.close();
    });

    it('continues with the remaining instance, and answers 503 with an Error body without one', async () => {
      const { stdout } = await services[0].stop();
      expect(stdout, 'the address of a client').to.include('127.0.0.1');
      for (let count = 0; count < 20; count += 1) {
        const { status, text } = await call(`${address}/v1/pets`, { key });
        expect(status, text).to.equal(200);
      }
      await services[1].stop();
      await eventually('the proxy has no instance', 20_000, async () => {
        const { status } = await call(`${address}/readyz`);
        return status === 503;
      });
      await expectUnavailable(address);
    });
  });
}
