import type { ServerResponse } from 'node:http';

/** How many times as many requests may wait for their clients as are worked on. */
const waitingShare = 4;

/** In milliseconds: how soon those that wait for clients are looked for again when there were none. */
const lookInterval = 10;

/** Requests whose answers are not written in full. */
interface RequestsInFlight {
  /** Takes a request in, until its answer is written or its client gone; false when there is no room. */
  readonly take: (response: ServerResponse) => boolean;
  /** Each with when it was taken, by `performance.now()`. */
  readonly all: () => Iterable<readonly [ServerResponse, number]>;
}

/** Whether its body is still on the way, or its answer waits to be read: it costs memory, but no time. */
const waitsForClient = ({ req, writableEnded }: ServerResponse): boolean => !req.complete || writableEnded;

/** Bounds the requests that are worked on, and apart from them those that wait for slow clients. */
export const requestsInFlight = (mostWorkedOn: number): RequestsInFlight => {
  const workedOn = new Map<ServerResponse, number>();
  const waiting = new Map<ServerResponse, number>();

  let lookedInVain = -Infinity;

  const setWaitingAside = (): void => {
    const now = performance.now();
    if (now - lookedInVain < lookInterval) return;
    for (const [response, began] of workedOn) {
      if (waiting.size >= waitingShare * mostWorkedOn) return;
      if (!waitsForClient(response)) continue;
      workedOn.delete(response);
      waiting.set(response, began);
    }
    if (workedOn.size >= mostWorkedOn) lookedInVain = now;
  };

  return {
    take: (response) => {
      if (workedOn.size >= mostWorkedOn) setWaitingAside();
      if (workedOn.size >= mostWorkedOn) return false;
      workedOn.set(response, performance.now());
      response.on('close', () => {
        workedOn.delete(response);
        waiting.delete(response);
      });
      return true;
    },
    all: function* () {
      yield* workedOn;
      yield* waiting;
    },
  };
};
