import * as TE from 'fp-ts/TaskEither';
import { httpApplication, type Reporter, startHttpServer } from '../../adapters/http';
import { inMemoryApiKeys, inMemoryPetRepository } from '../../adapters/in-memory';
import { openAnimalStore, unavailable } from '../../core';
import { arbitraryApiKey } from '../contracts/arbitrary/arbitrary-api-key';
import { arbitraryKeyId } from '../contracts/arbitrary/arbitrary-key-id';
import { eventually } from './eventually';

const unheard = (): void => undefined;

interface Options {
  readonly corsOrigins?: ReadonlyArray<string>;
  readonly reporter?: Reporter;
}

/** In milliseconds. */
const bound = 20_000;

/** A server whose store does not answer, and which therefore refuses whoever comes. */
export const overloadedServer = async ({
  corsOrigins = [],
  reporter = { requestEnded: unheard, requestRejected: unheard, error: unheard },
}: Options = {}) => {
  const key = arbitraryApiKey();
  let release = unheard;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hang = () => TE.leftTask(() => released.then(() => unavailable('released')));
  let refused = 0;
  const { address, stop } = await startHttpServer(
    httpApplication({
      openStore: openAnimalStore({
        pets: { ...inMemoryPetRepository(), list: hang },
        authenticate: inMemoryApiKeys([[arbitraryKeyId(), key]]).authenticate,
      }),
      checkReadiness: TE.right(undefined),
      corsOrigins,
    }),
    {
      host: '127.0.0.1',
      port: 0,
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
    },
  );
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
