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

/** A load of connections that each send the next request after the response to the last one. */
export interface ClosedLoop {
  readonly address: string;
  /** Process whose processor time is measured. */
  readonly pid: number;
  /** Maximum number of connections. All are opened before the first request, because opening is not part of the load. */
  readonly connections: number;
  readonly settleSeconds: number;
  readonly countedSeconds: number;
  readonly requests: ReadonlyArray<LoadRequest>;
}

/** A load of requests at a fixed rate, which does not depend on responses. */
export interface OpenLoop extends ClosedLoop {
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
  readonly processorSeconds: number;
}

/** Messages of the load process, in this order. Responses may still arrive after `over`. */
export type LoadMessage =
  readonly ['begun' | 'over'] | readonly ['figures', ClosedLoopFigures | OpenLoopFigures];

export type LoadCommand = readonly ['closed', ClosedLoop] | readonly ['open', OpenLoop];

/** Runs a load in a process of its own, so that it does not slow down the test. Returns a function that waits for a message. */
const startLoad = (...command: LoadCommand) => {
  const source = fork(join(__dirname, 'load-process.ts'), {
    execArgv: ['--import', pathToFileURL(require.resolve('tsx')).href],
    // The default serialization, JSON, has no NaN.
    serialization: 'advanced',
  });
  const ended = once(source, 'exit').then(() => {
    throw new Error('the load source ended early');
  });
  source.send(command);
  return <Content = undefined>(name: LoadMessage[0]): Promise<Content> => {
    const received = new Promise<Content>((resolve) => {
      source.on('message', ([received, content]: readonly [string, Content]) => {
        if (received === name) resolve(content);
      });
    });
    const first = Promise.race([received, ended]);
    // Prevents an unhandled rejection. A caller that waits for another message gets the failure.
    first.catch(() => undefined);
    return first;
  };
};

export const runClosedLoop = (load: ClosedLoop): Promise<ClosedLoopFigures> =>
  startLoad('closed', load)<ClosedLoopFigures>('figures');

export const startOpenLoop = (load: OpenLoop) => {
  const received = startLoad('open', load);
  return { begun: received('begun'), over: received('over'), figures: received<OpenLoopFigures>('figures') };
};
