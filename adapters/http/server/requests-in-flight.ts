import type { ServerResponse } from 'node:http';

/** How many times as many requests may wait for their clients as are worked on. */
const waitingShare = 4;

/** In milliseconds: how soon those that wait for clients are looked for again when there were none. */
const lookInterval = 10;

/** A request whose answer is not written in full. */
interface InFlight {
  readonly response: ServerResponse;
  /** When it was taken, by `performance.now()`. */
  readonly began: number;
}

interface Entry extends InFlight {
  list: Array<Entry>;
  place: number;
}

interface RequestsInFlight {
  /** Takes a request in, until its answer is written or its client gone; false when there is no room. */
  readonly take: (response: ServerResponse) => boolean;
  readonly all: () => ReadonlyArray<InFlight>;
}

/** Whether its body is still on the way, or its answer waits to be read: it costs memory, but no time. */
const waitsForClient = ({ req, writableEnded }: ServerResponse): boolean => !req.complete || writableEnded;

const remove = (entry: Entry): void => {
  const { list, place } = entry;
  if (list[place] !== entry) return;
  const last = list.pop();
  if (last === undefined || last === entry) return;
  list[place] = last;
  last.place = place;
};

const move = (entry: Entry, list: Array<Entry>): void => {
  remove(entry);
  entry.list = list;
  entry.place = list.length;
  list.push(entry);
};

/**
 * Bounds the requests that are worked on, and apart from them those that wait for slow clients. Lists, not Maps: V8
 * links a Map's outgrown table to the next, so that one of them in the old generation keeps all requests that follow
 * until that generation is collected.
 */
export const requestsInFlight = (mostWorkedOn: number): RequestsInFlight => {
  const workedOn: Array<Entry> = [];
  const waiting: Array<Entry> = [];

  let lookedInVain = -Infinity;

  /** Makes room for one, if it can. */
  const setOneAside = (): void => {
    const now = performance.now();
    if (now - lookedInVain < lookInterval || waiting.length >= waitingShare * mostWorkedOn) return;
    const found = workedOn.find(({ response }) => waitsForClient(response));
    if (found === undefined) lookedInVain = now;
    else move(found, waiting);
  };

  return {
    take: (response) => {
      if (workedOn.length >= mostWorkedOn) setOneAside();
      if (workedOn.length >= mostWorkedOn) return false;
      const entry = { response, began: performance.now(), list: workedOn, place: workedOn.length };
      workedOn.push(entry);
      response.on('close', () => {
        remove(entry);
      });
      return true;
    },
    all: () => [...workedOn, ...waiting],
  };
};
