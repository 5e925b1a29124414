import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Tally } from './measures';

/** A request of a load. One with a body, in ASCII, is a POST. */
export interface LoadRequest {
  readonly target: string;
  readonly key: string;
  readonly body?: string;
}

interface Load {
  readonly address: string;
  /** Process whose processor time is counted. */
  readonly pid: number;
  /** Connections at most. All are open before the first request, because opening them is no part of the load. */
  readonly connections: number;
  readonly settleSeconds: number;
  readonly countedSeconds: number;
  readonly requests: ReadonlyArray<LoadRequest>;
}

/** Connections that each send the next request as soon as the response is there. */
export type ClosedLoop = Load;

/** Requests that are sent at a rate, evenly spaced, whatever becomes of those before. */
export interface OpenLoop extends Load {
  readonly ratePerSecond: number;
}

export interface ClosedLoopFigures {
  readonly byStatus: Readonly<Record<string, Tally>>;
  readonly cutOff: number;
  /** Responses per second of wall-clock time, by status. */
  readonly answersPerSecond: Readonly<Record<string, number>>;
  readonly processorSeconds: number;
}

export interface OpenLoopFigures {
  readonly scheduled: number;
  /** Requests that were not sent, because every connection waited for a response. */
  readonly unsent: number;
  /** Delays of sending: above the machine's jitter the load source itself is overloaded. */
  readonly lateness: Tally;
  /** Times from the moment at which a request was due to the last byte of its response. */
  readonly byStatus: Readonly<Record<string, Tally>>;
  readonly unexplained: number;
  readonly cutOff: number;
  /** Requests without a response long after the last one was sent. */
  readonly unanswered: number;
  readonly mostBusy: number;
  readonly processorSeconds: number;
  readonly sourceProcessorSeconds: number;
}

/** Message from the load source, in this order. After `over` responses may still be on their way. */
export type LoadEvent<Figures> =
  { readonly event: 'begun' | 'over' } | { readonly event: 'figures'; readonly figures: Figures };

export type LoadCommand =
  { readonly loop: 'closed'; readonly load: ClosedLoop } | { readonly loop: 'open'; readonly load: OpenLoop };

/** Runs a load in a process of its own, so that it takes no time from the test that watches. */
const startLoad = <Figures>(command: LoadCommand) => {
  const source = fork(join(__dirname, 'load-process.ts'), {
    execArgv: ['--import', pathToFileURL(require.resolve('tsx')).href],
    // JSON has no NaN.
    serialization: 'advanced',
  });
  const ended = once(source, 'exit').then(() => {
    throw new Error('the load source ended early');
  });
  const received = <A>(take: (message: LoadEvent<Figures>, resolve: (value: A) => void) => void) => {
    const taken = new Promise<A>((resolve) => {
      source.on('message', (message: LoadEvent<Figures>) => {
        take(message, resolve);
      });
    });
    const first = Promise.race([taken, ended]);
    // A caller that waits for another message gets the failure there.
    first.catch(() => undefined);
    return first;
  };
  const receivedEvent = (name: 'begun' | 'over') =>
    received<undefined>(({ event }, resolve) => {
      if (event === name) resolve(undefined);
    });
  const [begun, over] = [receivedEvent('begun'), receivedEvent('over')];
  const figures = received<Figures>((message, resolve) => {
    if (message.event === 'figures') resolve(message.figures);
  });
  source.send(command);
  return { begun, over, figures };
};

export const runClosedLoop = (load: ClosedLoop): Promise<ClosedLoopFigures> =>
  startLoad<ClosedLoopFigures>({ loop: 'closed', load }).figures;

export const startOpenLoop = (load: OpenLoop) => startLoad<OpenLoopFigures>({ loop: 'open', load });
