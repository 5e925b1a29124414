import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { proxies, type StartProxy } from '../../deploy/support/proxies';
import { call } from '../../support/http/client';
import { pidOf } from '../../support/processes/system';
import { killServices, startService } from '../../support/service/service-process';
import { removeFolders } from '../../support/temporary-folder';
import { connectTo } from '../support/clients';
import { peakMemory } from '../support/measures';

const maxMemoryBytes = 500_000_000;

/**
 * Maximum time of an answer from /livez. Behind nginx, this is the deadline of a request. HAProxy and Caddy send the
 * service as many requests at once as there are connections, so other clients wait longer.
 */
const maxLivenessMs: Readonly<Record<string, number>> = { nginx: 4_000, HAProxy: 10_000, Caddy: 10_000 };

const key = 'hoarding-clients-key';

const documents = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(90);
const smallRequests = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3_600);

const chunkedHead = (...headers: ReadonlyArray<string>): string =>
  ['POST /v1/pets HTTP/1.1', 'Host: a', 'Content-Type: application/json', ...headers].join('\r\n') +
  '\r\nTransfer-Encoding: chunked\r\n\r\n';

const oneByteChunks = `{"name":"${'x'.repeat(15_000)}`.replace(/./g, '1\r\n$&\r\n');

const endlessChunks = '1\r\nx\r\n'.repeat(40_000);

const unendedHead = `GET / HTTP/1.1\r\nHost: a\r\n${'ab:\r\n'.repeat(2_000)}`;

const manyHeaders = Array.from({ length: 126 }, (_, place) => `${place.toString(36)}:\r\n`).join('');
const documentsOfManyHeaders = `GET /openapi.json HTTP/1.1\r\nHost: a\r\n${manyHeaders}\r\n`.repeat(90);

const incompleteBody = `${(16_000).toString(16)}\r\n{"name":"${'x'.repeat(15_000)}`;

interface Attack {
  /** Number of connections, fewer than the configurations of the proxies accept. */
  readonly connections: number;
  readonly parts: ReadonlyArray<string>;
}

const attacks: Readonly<Record<string, Attack>> = {
  'pipelined requests without a key': { connections: 300, parts: [smallRequests] },
  'pipelined requests behind unread documents': { connections: 500, parts: [documents, smallRequests] },
  'one-byte chunks with a key': {
    connections: 500,
    parts: [chunkedHead(`Authorization: Bearer ${key}`), oneByteChunks],
  },
  'heads that do not end': { connections: 1_500, parts: [unendedHead] },
  'unread documents whose requests had many headers': { connections: 1_500, parts: [documentsOfManyHeaders] },
  'incomplete bodies with a key': {
    connections: 1_500,
    parts: [chunkedHead(`Authorization: Bearer ${key}`), incompleteBody],
  },
};

const bigHeaders = Array.from({ length: 125 }, (_, place) => `X-${place}: ${'y'.repeat(110)}\r\n`).join('');
const bigHead = `GET /livez HTTP/1.1\r\nHost: a\r\n${bigHeaders}\r\n`;
const bigRequest = `POST /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 15000\r\n${bigHeaders}\r\n${'z'.repeat(15_000)}`;

/**
 * Requests for documents that fill the buffers of a connection, and then for small documents, whose responses must
 * wait.
 */
const unreadDocuments = [
  ...Array<string>(12).fill('GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(5)),
  'GET /docs/theme.css HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(30),
];

/** Attacks on a service without a proxy. */
const directAttacks: Readonly<Record<string, Attack>> = {
  'one-byte chunks with an unknown key': {
    connections: 1_500,
    parts: [chunkedHead(`Authorization: Bearer ${key}-unknown`), endlessChunks],
  },
  'unread documents whose requests had many headers': {
    connections: 1_500,
    parts: [documentsOfManyHeaders],
  },
  'requests with large heads, behind unread documents': {
    connections: 1_500,
    parts: [...unreadDocuments, bigHead.repeat(20)],
  },
  'requests with large heads and bodies, behind unread documents': {
    connections: 1_500,
    parts: [...unreadDocuments, bigRequest.repeat(10)],
  },
};

/** Maximum memory of a connection, as documented. */
const documentedKilobytes = Number(
  /at\smost\s(\d+)\skB/.exec(readFileSync('docs/configuration.md', 'utf8'))?.[1],
);

/** Makes V8 collect garbage early. On a large machine, V8 would first wait for hundreds of megabytes of garbage. */
const smallHeap = { NODE_OPTIONS: '--max-old-space-size=256' };

const sentAtOnce = 100;

const settings = { DATABASE_URL: 'memory:', API_KEYS: key, LOG_LEVEL: 'silent' };

/** Attacks an address. Returns the milliseconds of the slowest /livez. */
const attack = async (address: string, { connections, parts }: Attack): Promise<number> => {
  const sockets: Array<Socket> = [];
  let slowestMs = 0;
  const checkLiveness = async (): Promise<void> => {
    const { status, milliseconds } = await call(`${address}/livez`);
    expect(status).to.equal(200);
    slowestMs = Math.max(slowestMs, milliseconds);
  };
  try {
    for (let count = 0; count < connections; count += 1) {
      // Uses many addresses, because the proxies limit the connections of each.
      const localAddress = `127.0.1.${1 + (count % 200)}`;
      sockets.push((await connectTo(address, { localAddress })).pause());
    }
    for (const part of parts.map((text) => Buffer.from(text))) {
      for (let first = 0; first < connections; first += sentAtOnce) {
        for (const socket of sockets.slice(first, first + sentAtOnce)) {
          if (socket.writable) socket.write(part);
        }
        await checkLiveness();
      }
      for (let probe = 0; probe < 5; probe += 1) {
        await checkLiveness();
        await delay(200);
      }
    }
    return slowestMs;
  } finally {
    for (const socket of sockets) socket.destroy();
  }
};

const attackBehind = async (startProxy: StartProxy, each: Attack): Promise<number> => {
  const service = await startService({ ...settings, ...smallHeap, TRUST_PROXY: '1' });
  const { host } = new URL(service.address);
  const { address, program } = await startProxy([host, host]);
  try {
    const slowestMs = await attack(address, each);
    expect(peakMemory(pidOf(service)), 'bytes of memory').to.be.below(maxMemoryBytes);
    return slowestMs;
  } finally {
    program.signal('SIGTERM');
    await program.ended;
  }
};

describe('The memory of the service', () => {
  afterEach(killServices);
  after(removeFolders);

  for (const [proxy, startProxy] of proxies) {
    for (const [title, each] of Object.entries(attacks)) {
      it(`is bounded behind ${proxy} under ${title}`, async () => {
        const slowestMs = await attackBehind(startProxy, each);
        expect(slowestMs, 'milliseconds of the slowest /livez').to.be.below(maxLivenessMs[proxy] ?? NaN);
      });
    }
  }

  for (const [title, each] of Object.entries(directAttacks)) {
    it(`is as documented without a proxy under ${title}`, async () => {
      const service = await startService({ ...settings, ...smallHeap });
      const idleBytes = peakMemory(pidOf(service));
      await attack(service.address, each);
      const bytesOfConnection = (peakMemory(pidOf(service)) - idleBytes) / each.connections;
      expect(bytesOfConnection).to.be.below(1_000 * documentedKilobytes);
    });
  }
});
