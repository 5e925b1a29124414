import type { Socket } from 'node:net';
import { serverTimeouts } from '../../core/timeouts';

/**
 * Maximum bytes of unread response bodies on all connections that have made no progress for `stalledMs`. Responses that
 * share a buffer count once. The kernel reports progress late: a client that reads 16 kB every 100 ms seems stalled for
 * about 9 s.
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

/** Closes connections from the end of the list, until those left hold at most `maxBytes`. */
const closeOldest = (readers: ReadonlyArray<Reader>, maxBytes: number): void => {
  const bodies = new Set<Buffer | undefined>();
  let heldBytes = 0;
  for (const { socket, body } of readers) {
    if (!bodies.has(body)) heldBytes += body?.length ?? 0;
    bodies.add(body);
    if (heldBytes > maxBytes) socket.destroy();
  }
};

/**
 * Returns a function to call periodically. It closes every connection whose client has read nothing for `stallMs`.
 * While unread responses use too much memory, it closes the longest-stalled connections earlier.
 */
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
