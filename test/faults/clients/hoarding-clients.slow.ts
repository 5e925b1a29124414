import { expect } from 'chai';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { pidOf } from '../../support/processes/system';
import { killServices, startService } from '../../support/service/service-process';
import { connectTo } from '../support/clients';
import { peakMemory } from '../support/measures';

const maxMemoryBytes = 500_000_000;
const maxLivenessMs = 2_000;

const key = 'hoarding-clients-key';

const documents = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(8);
const smallRequests = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3_600);

const chunkedHead = (...headers: ReadonlyArray<string>): string =>
  ['POST /v1/pets HTTP/1.1', 'Host: a', 'Content-Type: application/json', ...headers].join('\r\n') +
  '\r\nTransfer-Encoding: chunked\r\n\r\n';

const oneByteChunks = `{"name":"${'x'.repeat(60_000)}`.replace(/./g, '1\r\n$&\r\n');

const unendedHead = `GET / HTTP/1.1\r\nHost: a\r\n${'ab:\r\n'.repeat(8_000)}`;

const documentOfManyHeaders = `GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n${'a:b\r\n'.repeat(126)}\r\n`;

const incompleteBody = `${(100_000).toString(16)}\r\n{"name":"${'x'.repeat(99_000)}`;

interface Attack {
  readonly connections: number;
  /** Number of connections that send between two liveness checks. */
  readonly sentAtOnce?: number;
  readonly parts: ReadonlyArray<string>;
}

const attacks: Readonly<Record<string, Attack>> = {
  'pipelined requests behind unread documents': { connections: 500, parts: [documents, smallRequests] },
  'one-byte chunks with a key': {
    connections: 500,
    parts: [chunkedHead(`Authorization: Bearer ${key}`), oneByteChunks],
  },
  'one-byte chunks without a key': { connections: 500, parts: [chunkedHead(), oneByteChunks] },
  'one-byte chunks after too many headers': {
    connections: 500,
    parts: [chunkedHead(...Array.from({ length: 130 }, () => 'a: b')) + oneByteChunks],
  },
  'heads that do not end': { connections: 4_000, sentAtOnce: 100, parts: [unendedHead] },
  'unread documents whose requests had many headers': {
    connections: 4_000,
    sentAtOnce: 100,
    parts: [documentOfManyHeaders],
  },
  'incomplete bodies with a key': {
    connections: 5_000,
    sentAtOnce: 100,
    parts: [chunkedHead(`Authorization: Bearer ${key}`), incompleteBody],
  },
};

const attack = async ({ connections, sentAtOnce = connections, parts }: Attack): Promise<void> => {
  const service = await startService({ DATABASE_URL: 'memory:', API_KEYS: key, LOG_LEVEL: 'silent' });
  const sockets: Array<Socket> = [];
  let slowestMs = 0;
  const checkLiveness = async (): Promise<void> => {
    const began = performance.now();
    expect((await fetch(`${service.address}/livez`)).status).to.equal(200);
    slowestMs = Math.max(slowestMs, performance.now() - began);
  };
  try {
    for (let count = 0; count < connections; count += 1) {
      sockets.push((await connectTo(service.address)).pause());
    }
    for (const part of parts.map((text) => Buffer.from(text))) {
      for (let first = 0; first < connections; first += sentAtOnce) {
        for (const socket of sockets.slice(first, first + sentAtOnce)) {
          if (socket.writable) socket.write(part);
        }
        await delay(0);
        await checkLiveness();
      }
      for (let probe = 0; probe < 5; probe += 1) {
        await checkLiveness();
        await delay(200);
      }
    }
    expect(peakMemory(pidOf(service)), 'bytes of memory').to.be.below(maxMemoryBytes);
    expect(slowestMs, 'milliseconds of the slowest /livez').to.be.below(maxLivenessMs);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
};

describe('The memory of the service', () => {
  afterEach(killServices);

  for (const [title, each] of Object.entries(attacks)) {
    it(`is bounded under ${title}`, () => attack(each));
  }
});
