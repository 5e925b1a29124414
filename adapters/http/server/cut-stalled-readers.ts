import type { ServerResponse } from 'node:http';

/**
 * What responses that nobody takes may hold in memory, in bytes, each buffer counted once, by how long nothing was seen
 * to leave, in milliseconds. The kernel asks for more only once much of what it holds is taken: of a client that reads
 * 16 kB every 100 ms nothing is seen for some 9 s, so that the lower bound is not for the first moments.
 */
const bounds = [
  { stalledFor: 2_000, maxBytes: 268_435_456 },
  { stalledFor: 12_000, maxBytes: 67_108_864 },
];

/** In milliseconds: who takes nothing for so long is cut off, also where a response has no body that could be held. */
const longestStall = 300_000;

/** A response that is written, and not taken in full. */
export interface UnreadResponse {
  readonly response: ServerResponse;
  readonly body: string | Buffer | undefined;
}

/** Cuts off the oldest of these responses, which come last, until what the others hold is within a bound. */
const cutOff = (stalled: ReadonlyArray<UnreadResponse>, maxBytes: number): void => {
  const bodies = new Set<UnreadResponse['body']>();
  let held = 0;
  for (const { response, body } of stalled) {
    if (!bodies.has(body)) held += body?.length ?? 0;
    bodies.add(body);
    if (held > maxBytes) response.destroy();
  }
};

/**
 * Makes a look at the responses that are being read. Who takes something now and then is a reader, however slow; who does
 * not is stalled, and the oldest stalled go where they hold too much; after the longest stall each goes.
 */
export const cutStalledReaders = () => {
  const stalls = new WeakMap<ServerResponse, { readonly progress: number; readonly since: number }>();

  return (unread: ReadonlyArray<UnreadResponse>): void => {
    const now = performance.now();
    const readers = unread.map(({ response, body }) => {
      // Bytes that the connection has been given; large bodies are given piece by piece.
      const progress = response.socket?.bytesWritten ?? 0;
      const last = stalls.get(response);
      const since = last?.progress === progress ? last.since : now;
      stalls.set(response, { progress, since });
      if (now - since >= longestStall) response.destroy();
      return { response, body, since };
    });
    readers.sort((one, other) => one.since - other.since).reverse();
    for (const { stalledFor, maxBytes } of bounds) {
      cutOff(
        readers.filter(({ since, response }) => now - since >= stalledFor && !response.destroyed),
        maxBytes,
      );
    }
  };
};
