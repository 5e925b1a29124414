import { constants } from 'node:os';

/** What a shell says of a process that a signal has ended. */
export const signalExitCode = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];
