import { expect } from 'chai';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { killServices, startService } from '../../support/service/service-process';
import { fault, type Figures } from '../support/fault';
import { pidOf } from '../../support/processes/system';
import { peakMemory } from '../support/measures/peak-memory';

const connections = 500;
const maxMemoryBytes = 500_000_000;
const maxLivenessMs = 2_000;

const key = 'hoarding-clients-key';

const documents = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(8);
const smallRequests = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3_600);

const chunkedHead = (...headers: ReadonlyArray<string>): string =>
  ['POST /v1/pets HTTP/1.1', 'Host: a', 'Content-Type: application/json', ...headers].join('\r\n') +
  '\r\nTransfer-Encoding: chunked\r\n\r\n';

const oneByteChunks = `{"name":"${'x'.repeat(60_000)}`.replace(/./g, '1\r\n$&\r\n');

/** What each connection sends, in parts with a pause between them. */
const attacks: Readonly<Record<string, ReadonlyArray<string>>> = {
  'pipelined requests behind documents that nobody reads': [documents, smallRequests],
  'one-byte chunks with a key': [chunkedHead(`Authorization: Bearer ${key}`), oneByteChunks],
  'one-byte chunks without a key': [chunkedHead(), oneByteChunks],
};

const attack = async (parts: ReadonlyArray<string>): Promise<Figures> => {
  const service = await startService({ DATABASE_URL: 'memory:', API_KEYS: key, LOG_LEVEL: 'silent' });
  const { hostname, port } = new URL(service.address);
  const sockets: Array<Socket> = [];
  let slowestMs = 0;
  const checkLiveness = async (): Promise<void> => {
    const began = performance.now();
    expect((await fetch(`${service.address}/livez`)).status).to.equal(200);
    slowestMs = Math.max(slowestMs, performance.now() - began);
  };
  try {
    for (let count = 0; count < connections; count += 1) {
      const socket = connect({ host: hostname, port: Number(port) });
      socket.on('error', () => undefined);
      socket.pause();
      await once(socket, 'connect');
      sockets.push(socket);
    }
    for (const part of parts.map((text) => Buffer.from(text))) {
      for (const socket of sockets) if (socket.writable) socket.write(part);
      // The first writes are this process's own work.
      await delay(0);
      for (let probe = 0; probe < 5; probe += 1) {
        await checkLiveness();
        await delay(200);
      }
    }
    const memory = peakMemory(pidOf(service));
    expect(memory, 'bytes of memory').to.be.below(maxMemoryBytes);
    expect(slowestMs, 'milliseconds of the slowest /livez').to.be.below(maxLivenessMs);
    return {
      connections,
      'MB at most': Math.round(memory / 1e6),
      'slowest /livez ms': Math.round(slowestMs),
    };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
};

describe('Promise 5: clients can not make the service hoard memory', () => {
  afterEach(killServices);

  for (const [title, parts] of Object.entries(attacks)) fault(title, () => attack(parts));
});
