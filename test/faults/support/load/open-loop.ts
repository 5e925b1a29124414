import type { LoadRequest } from './load-request';
import { type RunningLoad, startLoad } from './start-load';
import type { Tally } from './tally';

/** Requests that come at a rate of their own, whatever becomes of those before. */
export interface OpenLoop {
  readonly address: string;
  /** Of the service, whose processor time is counted. */
  readonly pid: number;
  /** Requests a second, evenly spaced. */
  readonly rate: number;
  /** In seconds: what is not counted, at the beginning. */
  readonly settle: number;
  /** What is counted. */
  readonly seconds: number;
  /** At most; all are open before the first request, because opening them is no part of the load. */
  readonly connections: number;
  /** Sent in turns. */
  readonly requests: ReadonlyArray<LoadRequest>;
}

/** Of the requests whose time fell into what is counted. Times are in milliseconds. */
export interface OpenLoopFigures {
  /** How many should have been sent. */
  readonly scheduled: number;
  /** How many were not, because every connection waited for an answer. */
  readonly unsent: number;
  /** How much later than its time a request was sent: above the machine's jitter the source itself is overloaded. */
  readonly lateness: Tally;
  /** From the time at which a request was to be sent to the last byte of its answer. */
  readonly byStatus: Readonly<Record<string, Tally>>;
  /** 503s that did not say when to come again. */
  readonly unexplained: number;
  /** Requests whose connection the service ended in place of an answer. */
  readonly cutOff: number;
  /** Requests without an answer long after the last was sent. */
  readonly unanswered: number;
  /** Connections that waited for an answer at once, at most. */
  readonly mostBusy: number;
  /** Seconds of processor time. */
  readonly processorSeconds: number;
  readonly sourceProcessorSeconds: number;
}

/** Starts a load in a process of its own. */
export const startOpenLoop = (load: OpenLoop): RunningLoad<OpenLoopFigures> =>
  startLoad('open-loop-process.ts', load);
