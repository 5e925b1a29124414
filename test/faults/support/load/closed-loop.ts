import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What is sent; one with a body, in ASCII, is a POST. */
export interface LoadRequest {
  readonly target: string;
  readonly key: string;
  readonly body?: string;
}

/** Connections that each send the next of the requests as soon as the one before is answered. */
export interface Load {
  readonly address: string;
  /** Of the service, whose processor time is counted. */
  readonly pid: number;
  readonly connections: number;
  /** In seconds: what is not counted, at the beginning. */
  readonly settle: number;
  /** What is counted. */
  readonly seconds: number;
  /** Sent in turns. */
  readonly requests: ReadonlyArray<LoadRequest>;
}

/** Times are in milliseconds. */
export interface Tally {
  readonly count: number;
  readonly p99: number;
}

export interface LoadFigures {
  /** From a request, or from when the service last said to come again, to its answer. */
  readonly byStatus: Readonly<Record<string, Tally>>;
  /** Refusals that did not say when to come again. */
  readonly unexplained: number;
  /** Connections that the service closed. */
  readonly cutOff: number;
  readonly processorSeconds: number;
}

/** Runs a load in a process of its own, so that it takes no time from the test that watches. */
export const runLoad = async (load: Load): Promise<LoadFigures> => {
  const source = fork(join(__dirname, 'closed-loop-process.ts'), {
    execArgv: ['--import', pathToFileURL(require.resolve('tsx')).href],
  });
  return new Promise((resolve, reject) => {
    source.once('message', (figures: LoadFigures) => {
      resolve(figures);
    });
    void once(source, 'exit').then(() => {
      reject(new Error('the source of the load ended early'));
    });
    source.send(load);
  });
};
