import type { LoadRequest } from './load-request';
import { startLoad } from './start-load';
import type { Tally } from './tally';

/** Connections that each send the next of the requests as soon as the one before is answered. */
export interface ClosedLoop {
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

export interface ClosedLoopFigures {
  /** From a request to its answer, in milliseconds. */
  readonly byStatus: Readonly<Record<string, Tally>>;
  /** Connections that the service ended. */
  readonly cutOff: number;
  /** Answers a second, by status, as a clock on the wall has it. */
  readonly answersPerSecond: Readonly<Record<string, number>>;
  readonly processorSeconds: number;
}

/** Runs a load in a process of its own. */
export const runClosedLoop = (load: ClosedLoop): Promise<ClosedLoopFigures> =>
  startLoad<ClosedLoopFigures>('closed-loop-process.ts', load).figures;
