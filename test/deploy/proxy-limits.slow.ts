import { expect } from 'chai';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { call } from '../support/http/client';
import { eventually } from '../support/eventually';
import { getRequest } from '../support/http/raw-connection';
import { killPrograms, projectFolder, startProgram } from '../support/processes/command';
import { needsPrograms } from '../support/processes/system';
import { killServices, startService } from '../support/service/service-process';
import { removeFolders } from '../support/temporary-folder';
import { type Proxy, proxies } from './support/proxies';

const key = 'a-key-of-this-test-that-is-long-enough';

/** More connections than nginx and HAProxy take in their configurations. */
const manyConnections = 4_200;

/** Address of the hostile client. All others have 127.0.0.1. */
const hostileAddress = '127.0.0.2';

/** Opens connections that send some bytes, and opens each again when the proxy has closed it. */
const flood = (address: string, bytes: string) => {
  const { hostname, port } = new URL(address);
  const sockets = new Set<Socket>();
  let answered = 0;
  let isOver = false;
  const open = (): void => {
    if (isOver) return;
    const socket = connect({ host: hostname, port: Number(port), localAddress: hostileAddress });
    sockets.add(socket);
    socket.on('data', () => undefined);
    socket.once('connect', () => socket.write(bytes));
    for (const event of ['connect', 'error']) socket.once(event, () => (answered += 1));
    socket
      .on('error', () => undefined)
      .once('close', () => {
        sockets.delete(socket);
        setTimeout(open, 1_000);
      });
  };
  for (let count = 0; count < manyConnections; count += 1) open();
  return {
    /** Number of connections that the proxy has accepted or rejected. */
    answered: () => answered,
    end: () => {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
};

for (const [name, startProxy] of proxies) {
  describe(`The shipped configuration of ${name}`, () => {
    needsPrograms('nginx', 'haproxy', 'caddy', 'openssl');
    let proxy: Proxy;

    before(async () => {
      const settings = { API_KEYS: key, TRUST_PROXY: '1', DATABASE_URL: 'memory:' };
      const [first, second] = [await startService(settings), await startService(settings)];
      proxy = await startProxy([new URL(first.address).host, new URL(second.address).host]);
    });

    after(killPrograms);
    after(killServices);
    after(removeFolders);

    /** Calls the service on a new connection. Returns the milliseconds that a 200 took, with all retries. */
    const timeToServe = async (): Promise<number> => {
      const began = performance.now();
      await eventually('the request is served', 60_000, async () => {
        const answer = await call(`${proxy.address}/v1/pets`, { key, agent: new Agent() }).catch(
          () => undefined,
        );
        return answer?.status === 200;
      });
      return performance.now() - began;
    };

    for (const [what, bytes] of [
      ['idle connections', getRequest('/v1/pets')],
      ['connections without a byte', ''],
      ['incomplete heads', 'GET /v1/pets HTTP/1.1\r\nHost: a\r\nX: '],
    ] as const) {
      it(`serves others within 7 s while a client without a key holds all the ${what} that it gets`, async () => {
        const flooding = flood(proxy.address, bytes);
        try {
          await eventually('each has been opened', 60_000, () => flooding.answered() >= manyConnections);
          for (let round = 0; round < 3; round += 1) expect(await timeToServe()).to.be.below(7_000);
        } finally {
          flooding.end();
        }
      });
    }

    it('works on at most 200 requests of one address at a time', async function () {
      // Caddy relies on the rules of the firewall for this limit.
      if (name === 'Caddy') this.skip();
      const { hostname, port } = new URL(proxy.address);
      const head = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
      const answers: Array<string> = [];
      const sockets = Array.from({ length: 250 }, () => {
        const socket = connect({ host: hostname, port: Number(port), localAddress: hostileAddress });
        socket.on('error', () => undefined);
        let received = '';
        socket.on('data', (bytes: Buffer) => (received += bytes.toString()));
        socket.once('close', () => answers.push(received));
        return socket;
      });
      for (const socket of sockets) socket.write(`${head}Content-Length: 100\r\nConnection: close\r\n\r\n{`);
      await eventually('the others are rejected', 15_000, () => answers.length === 50);
      for (const answer of answers) expect(answer).to.match(/^$|^HTTP\/1\.1 503 .*"code":"unavailable"/s);
      expect(await call(`${proxy.address}/v1/pets`, { key, agent: new Agent() })).to.include({ status: 200 });
      for (const socket of sockets) socket.destroy();
    });

    it('listens on IPv6 too', async () => {
      expect(await call(`${proxy.ipv6Address}/v1/pets`, { key })).to.include({ status: 200 });
    });

    it('compresses JSON', async () => {
      const plain = await fetch(`${proxy.address}/openapi.json`, {
        headers: { 'Accept-Encoding': 'identity' },
      });
      expect(plain.headers.get('content-encoding')).to.equal(null);
      const compressed = await fetch(`${proxy.address}/openapi.json`, {
        headers: { 'Accept-Encoding': 'gzip' },
      });
      expect(compressed.headers.get('content-encoding')).to.equal('gzip');
      expect(compressed.headers.get('vary')).to.match(/accept-encoding/i);
      expect(await compressed.text()).to.equal(await plain.text());
    });
  });
}

/**
 * Program that listens on port 80, and opens 250 connections to itself over IPv4 and then over IPv6. Prints for each
 * how many were accepted.
 */
const connections = `
  const { connect, createServer } = require('node:net');
  const server = createServer((socket) => socket.on('error', () => undefined)).listen(80, '::', async () => {
    for (const host of ['127.0.0.2', '::1']) {
      const sockets = Array.from({ length: 250 }, () => connect(80, host));
      const opened = await Promise.all(sockets.map((socket) => new Promise((resolve) =>
        socket.once('connect', () => resolve(1)).once('error', () => resolve(0)))));
      console.log(opened.reduce((sum, one) => sum + one));
    }
    process.exit();
  });`;

describe('The shipped rules of a firewall', () => {
  needsPrograms('nft', 'unshare', 'ip');

  it('accept at most 200 connections of one address, over IPv4 and IPv6', async function () {
    const script = 'ip link set lo up && nft --file "$0" && nft --file "$0" && exec "$1" --eval "$2"';
    const rules = join(projectFolder, 'deploy/firewall.nft');
    const words = ['--net', 'sh', '-c', script, rules, process.execPath, connections];
    const { code, stdout, stderr } = await startProgram('unshare', words).ended;
    if (/unshare failed|Operation not permitted/.test(stderr)) this.skip();
    expect({ code, stdout }, stderr).to.deep.equal({ code: 0, stdout: '200\n200\n' });
  });
});
