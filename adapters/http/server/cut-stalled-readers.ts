import type { ServerResponse } from 'node:http';

/**
 * What responses that nobody takes may hold in memory, in bytes, each buffer counted once, by how long nothing was seen
 * to leave, in milliseconds. The kernel asks for more only once much of what it holds is taken: of a client that reads
 * 16 kB every 100 ms nothing is seen for some 9 s, so that the lower bound is not for the first moments.
 */
const bounds = [
  { stalledFor: 2_000, maxBytes: 268_435_456 },
  { stalledFor: 12_000, maxBytes: 67_108_864 },
  { stalledFor: 300_000, maxBytes: 0 },
];

/** A response that is written, and not taken in full. */
export interface UnreadResponse {
  readonly response: ServerResponse;
  readonly body: string | Buffer | undefined;
}

interface Stall {
  /** Bytes that the connection has been given; large bodies are given piece by piece. */
  readonly progress: number;
  readonly since: number;
}

interface Stalled extends UnreadResponse {
  readonly since: number;
}

/** Cuts off the first of these responses until what the others hold is within a bound. */
const cutOff = (stalled: ReadonlyArray<Stalled>, maxBytes: number): void => {
  const holders = new Map<Stalled['body'], number>();
  for (const { body } of stalled) holders.set(body, (holders.get(body) ?? 0) + 1);
  let held = [...holders.keys()].reduce((sum, body) => sum + (body?.length ?? 0), 0);
  for (const { response, body } of stalled) {
    if (held <= maxBytes) return;
    const others = (holders.get(body) ?? 1) - 1;
    holders.set(body, others);
    if (others === 0) held -= body?.length ?? 0;
    response.destroy();
  }
};

/**
 * Makes a look at the responses that are being read. Who takes something now and then is a reader, however slow; who does
 * not is stalled, and the oldest stalled go where they hold too much.
 */
export const cutStalledReaders = () => {
  let looks = new Map<ServerResponse, Stall>();

  return (unread: Iterable<UnreadResponse>): void => {
    const now = performance.now();
    const before = looks;
    looks = new Map();
    const readers: Array<Stalled> = [];
    for (const { response, body } of unread) {
      const progress = response.socket?.bytesWritten ?? 0;
      const last = before.get(response);
      const since = last?.progress === progress ? last.since : now;
      looks.set(response, { progress, since });
      readers.push({ response, body, since });
    }
    readers.sort((one, other) => one.since - other.since);
    for (const { stalledFor, maxBytes } of bounds) {
      cutOff(
        readers.filter(({ since, response }) => now - since >= stalledFor && !response.destroyed),
        maxBytes,
      );
    }
  };
};
