import * as TE from 'fp-ts/TaskEither';
import type { Reporter } from '../../../adapters/http';
import { unavailable } from '../../../core';
import { eventually } from '../eventually';
import { key, memoryApplication, silentReporter, startServer } from './start-server';

const ignore = (): void => undefined;

interface Options {
  readonly corsOrigins?: ReadonlyArray<string>;
  readonly reporter?: Reporter;
}

/** In milliseconds. */
const bound = 20_000;

/** A server whose store does not answer, and which therefore refuses whoever comes. */
export const overloadedServer = async ({ corsOrigins = [], reporter = silentReporter }: Options = {}) => {
  let release = ignore;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hang = () => TE.leftTask(() => released.then(() => unavailable('released')));
  let refused = 0;
  const { address, stop } = await startServer(memoryApplication({ pets: { list: hang }, corsOrigins }), {
    maxInFlight: 1,
    maxWait: 1,
    corsOrigins,
    reporter: {
      ...reporter,
      requestRejected: (record) => {
        refused += 1;
        reporter.requestRejected(record);
      },
    },
  });
  const waiting: Array<Promise<unknown>> = [];
  await eventually('who comes is refused', bound, () => {
    waiting.push(fetch(`${address}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } }));
    return refused > 0;
  });
  return {
    address,
    key,
    /** Refusals until now. */
    refused: () => refused,
    stop: async (): Promise<void> => {
      release();
      await Promise.all(waiting);
      await stop(0);
    },
  };
};
