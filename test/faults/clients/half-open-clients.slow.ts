import { expect } from 'chai';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { eventually } from '../../support/eventually';
import { killServices, startService } from '../../support/service/service-process';
import { fault, type Figures } from '../support/fault';
import { goodClient } from '../support/clients/good-client';
import { inFolder } from '../../support/temporary-folder';
import { makeReachable, unreachable } from '../support/machine/unreachable';

const key = 'half-open-key';
const each = 300;

/** Where the clients are that vanish, a kind at each address. */
const subnet = '127.0.7';

interface Vanishing {
  readonly kind: string;
  readonly says: string;
  /** Whether it is answered before it vanishes. */
  readonly isAnswered?: boolean;
  /** In milliseconds: when its connection is closed at the latest. */
  readonly bound: number;
}

const head = ['Host: animals', `Authorization: Bearer ${key}`].join('\r\n');

const vanishings: ReadonlyArray<Vanishing> = [
  { kind: 'before a word', says: '', bound: 15_000 },
  { kind: 'amid a head', says: `GET /v1/pets HTTP/1.1\r\n${head}`, bound: 15_000 },
  {
    kind: 'amid a body',
    says: `POST /v1/pets HTTP/1.1\r\n${head}\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n{"name":`,
    bound: 25_000,
  },
  {
    kind: 'after an answer',
    says: `GET /v1/pets HTTP/1.1\r\n${head}\r\n\r\n`,
    isAnswered: true,
    bound: 70_000,
  },
];

const connectFrom = async (
  localAddress: string,
  address: string,
  { says, isAnswered = false }: Vanishing,
): Promise<Socket> => {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(says);
  if (isAnswered) await once(socket, 'data');
  return socket;
};

/**
 * The connections to an address that a process of this machine still holds: Linux, proc_net_tcp(5). Each by its inode, since a
 * line may come twice while other connections come and go.
 */
const heldTo = (lastPart: number): number => {
  const hexadecimal = [...subnet.split('.').map(Number), lastPart]
    .reverse()
    .map((part) => part.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();
  const inodes = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , remote = '', , , , , , , inode]) => remote.startsWith(`${hexadecimal}:`) && inode !== '0')
    .map(([, , , , , , , , , inode]) => inode);
  return new Set(inodes).size;
};

const vanish = async (folder: string): Promise<Figures> => {
  await makeReachable(`${subnet}.0/24`);
  const service = await startService({
    DATABASE_URL: `sqlite:${folder}/animals.sqlite3`,
    API_KEYS: key,
    LOG_LEVEL: 'silent',
    MAX_IN_FLIGHT: '1000',
  });
  const good = goodClient({ address: service.address, key });
  const sockets: Array<Socket> = [];
  const open = async (vanishing: Vanishing, place: number): Promise<void> => {
    const opened = Array.from({ length: each }, () =>
      connectFrom(`${subnet}.${place + 1}`, service.address, vanishing),
    );
    sockets.push(...(await Promise.all(opened)));
  };
  const untilClosed = async (): Promise<Figures> => {
    const began = performance.now();
    const closed = vanishings.map(async ({ kind, bound }, place) => {
      expect(heldTo(place + 1), kind).to.equal(each);
      await eventually(`closed: ${kind}`, bound, () => heldTo(place + 1) === 0);
      return [`${kind} until ms`, Math.round(performance.now() - began)] as const;
    });
    return Object.fromEntries(await Promise.all(closed));
  };

  try {
    for (const [place, vanishing] of vanishings.entries()) await open(vanishing, place);
    const closed = await unreachable(`${subnet}.0/24`, untilClosed);
    return { 'of each': each, ...closed, 'answers to another client': await good.end() };
  } finally {
    for (const socket of sockets) socket.destroy();
    await good.end();
  }
};

describe('Promise 5: clients that vanish are let go', () => {
  afterEach(killServices);

  fault('SQLite: half-open connections, whose clients are cut off unheard', () => inFolder(vanish), {
    needs: ['routes'],
  });
});
