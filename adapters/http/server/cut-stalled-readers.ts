import type { ServerResponse } from 'node:http';

/** In bytes: what responses that nobody takes may hold in memory, each buffer counted once. */
const maxStalledBytes = 67_108_864;

/** In milliseconds: who takes nothing of a response for so long is cut off in any case. */
const maxStall = 60_000;

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

/**
 * Makes a look at the responses that are being read. Who has taken something since the look before is a reader, however
 * slow; who has not is stalled. The oldest stalled are cut off while what they hold passes the bound.
 */
export const cutStalledReaders = () => {
  let looks = new Map<ServerResponse, Stall>();

  return (unread: Iterable<UnreadResponse>): void => {
    const now = performance.now();
    const before = looks;
    looks = new Map();
    const stalled: Array<UnreadResponse & { readonly since: number }> = [];
    for (const { response, body } of unread) {
      const progress = response.socket?.bytesWritten ?? 0;
      const last = before.get(response);
      const since = last?.progress === progress ? last.since : now;
      looks.set(response, { progress, since });
      if (since < now) stalled.push({ response, body, since });
    }
    stalled.sort((one, other) => one.since - other.since);
    const holders = new Map<string | Buffer | undefined, number>();
    for (const { body } of stalled) holders.set(body, (holders.get(body) ?? 0) + 1);
    let held = [...holders.keys()].reduce((sum, body) => sum + (body?.length ?? 0), 0);
    for (const { response, body, since } of stalled) {
      if (held <= maxStalledBytes && now - since < maxStall) return;
      const others = (holders.get(body) ?? 1) - 1;
      holders.set(body, others);
      if (others === 0) held -= body?.length ?? 0;
      response.destroy();
    }
  };
};
