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
  /** Process whose processor time is measured. */
  readonly pid: number;
  /** Maximum number of connections. All are opened before the first request, because opening is not part of the load. */
  readonly connections: number;
  readonly settleSeconds: number;
  readonly countedSeconds: number;
  readonly requests: ReadonlyArray<LoadRequest>;
}

/** A load of connections that each send the next request after the response to the last one. */
export type ClosedLoop = Load;

/** A load of requests at a fixed rate, which does not depend on responses. */
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
  /** Delays of sending. If they exceed the jitter of the machine, the load process itself is overloaded. */
  readonly lateness: Tally;
  /** Times from the moment when a request was due to the last byte of its response, by status. */
  readonly byStatus: Readonly<Record<string, Tally>>;
  readonly unexplained: number;
  readonly cutOff: number;
  /** Number of requests without a response, some time after the last request. */
  readonly unanswered: number;
  readonly mostBusy: number;
  readonly processorSeconds: number;
  readonly sourceProcessorSeconds: number;
}

/** Messages of the load process, in this order. Responses may still arrive after `over`. */
export type LoadEvent<Figures> =
  { readonly event: 'begun' | 'over' } | { readonly event: 'figures'; readonly figures: Figures };

export type LoadCommand =
  { readonly loop: 'closed'; readonly load: ClosedLoop } | { readonly loop: 'open'; readonly load: OpenLoop };

/** Runs a load in a process of its own, so that it does not slow down the test. */
const startLoad = <Figures>(command: LoadCommand) => {
  const source = fork(join(__dirname, 'load-process.ts'), {
    execArgv: ['--import', pathToFileURL(require.resolve('tsx')).href],
    // The default serialization, JSON, has no NaN.
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
    // Prevents an unhandled rejection. A caller that waits for another message gets the failure.
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
