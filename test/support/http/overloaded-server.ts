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
  const refusedIds = new Set<string>();
  const { address, stop } = await startServer(memoryApplication({ pets: { list: hang, create: hang } }), {
    maxInFlight: 1,
    maxWaitMs: 1,
    corsOrigins,
    reporter: {
      ...reporter,
      requestRejected: (record) => {
        refused += 1;
        refusedIds.add(record.requestId);
        reporter.requestRejected(record);
      },
    },
  });
  const waiting: Array<Promise<unknown>> = [];
  const fill = (method: string, init: RequestInit): Promise<void> =>
    eventually(`each further ${method} is refused`, bound, () => {
      const headers = {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'X-Request-Id': method,
      };
      waiting.push(fetch(`${address}/v1/pets`, { method, headers, ...init }));
      return refusedIds.has(method);
    });
  // Reads and writes have slots of their own.
  await fill('GET', {});
  await fill('POST', { body: '{"name":"Rex","categoryId":7}' });
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
