import type { Socket } from 'node:net';
import type { ServerFailure } from './options';
import { serverTimeouts } from '../../core/timeouts';

/**
 * Limits on unread responses, which serve-connections.ts checks every second. Each row limits the unread bytes of all
 * clients that have read nothing for `stalledMs`. Above `maxBytes`, the server closes the connections that stalled
 * first. Responses that share a buffer count once. The last row begins at 12 s, because the kernel reports reads late:
 * a client that reads 16 kB every 100 ms seems stalled for about 9 s.
 */
const bounds = [
  { stalledMs: 0, maxBytes: 536_870_912 },
  { stalledMs: 2_000, maxBytes: 268_435_456 },
  { stalledMs: 12_000, maxBytes: 67_108_864 },
];

export interface UnreadResponse {
  readonly socket: Socket;
  readonly body: Buffer | undefined;
}

interface Reader extends UnreadResponse {
  readonly since: number;
}

const closeOldest = (readers: ReadonlyArray<Reader>, maxBytes: number): void => {
  const bodies = new Set<Buffer>();
  let heldBytes = 0;
  for (const { socket, body } of readers) {
    if (body === undefined) heldBytes += socket.writableLength;
    else if (!bodies.has(body)) heldBytes += body.length;
    if (body !== undefined) bodies.add(body);
    if (heldBytes > maxBytes) socket.destroy();
  }
};

export const closeStalledConnections = () => {
  const stalls = new WeakMap<Socket, { readonly written: number; readonly since: number }>();

  return (unread: ReadonlyArray<UnreadResponse>): void => {
    const now = performance.now();
    const readers = unread.map(({ socket, body }) => {
      const written = socket.bytesWritten;
      const last = stalls.get(socket);
      const since = last?.written === written ? last.since : now;
      stalls.set(socket, { written, since });
      if (now - since >= serverTimeouts.stallMs) socket.destroy();
      return { socket, body, since };
    });
    readers.sort((one, other) => one.since - other.since).reverse();
    for (const { stalledMs, maxBytes } of bounds) {
      closeOldest(
        readers.filter(({ since, socket }) => now - since >= stalledMs && !socket.destroyed),
        maxBytes,
      );
    }
  };
};

// Limit on the memory of all request bodies together. Bodies of at most `smallBytes` do not count, because a connection
// takes as much memory anyway. The limit is checked every 100 ms and, because that could be too late, after each
// `checkBodiesEveryBytes` received bytes.
export const maxBodiesBytes = 67_108_864;
const smallBytes = 4_096;
export const checkBodiesEveryBytes = 16_777_216;

const stalledBodyMs = 2_000;

export interface HeldBody {
  readonly arrivedAt: number;
  readonly progressAt: () => number | undefined;
  readonly heldBytes: () => number;
  readonly answer: (failure: ServerFailure) => void;
}

/**
 * Sheds requests (rejects them with a 503) while all request bodies together use more than `maxBodiesBytes`. Requests
 * of stalled clients are shed first, then the newest requests. The remaining requests can finish, so that an overload
 * of slow clients does not fail all of them. serve-connections.ts calls it every 100 ms or sooner.
 */
export const shedBodies = (connections: Iterable<{ readonly current: HeldBody | undefined }>): void => {
  const large: Array<HeldBody> = [];
  let total = 0;
  for (const { current } of connections) {
    const bytes = current?.heldBytes() ?? 0;
    if (current === undefined || bytes <= smallBytes) continue;
    total += bytes;
    large.push(current);
  }
  if (total <= maxBodiesBytes) return;
  const now = performance.now();
  const isStalled = (body: HeldBody): boolean => now - (body.progressAt() ?? now) > stalledBodyMs;
  large.sort(
    (one, other) => Number(isStalled(other)) - Number(isStalled(one)) || other.arrivedAt - one.arrivedAt,
  );
  for (const body of large) {
    if (total <= maxBodiesBytes) return;
    total -= body.heldBytes();
    body.answer({ _tag: 'Overloaded' });
  }
};
