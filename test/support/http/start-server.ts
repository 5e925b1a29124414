import * as TE from 'fp-ts/TaskEither';
import { type HttpApplication, httpApplication, type Reporter } from '../../../adapters/http';
import {
  arrivedAt,
  deadlineOf,
  type HttpServer,
  type HttpServerOptions,
  readBody,
  startHttpServer,
} from '../../../adapters/http-server';
import { inMemoryApiKeys, inMemoryPetRepository } from '../../../adapters/in-memory';
import { type Authenticate, openAnimalStore, type PetRepository, unavailable } from '../../../core';
import { arbitraryApiKey, arbitraryKeyId } from '../../contracts';
import { eventually } from '../eventually';

const ignore = (): void => undefined;

export const silentReporter: Reporter = {
  requestEnded: ignore,
  requestRejected: ignore,
  error: ignore,
};

/** The API key that applications of `memoryApplication` accept. */
export const key = arbitraryApiKey();

/** The authentication port that accepts only `key`. */
export const { authenticate: byKey } = inMemoryApiKeys([[arbitraryKeyId(), key]]);

type HttpOptions = Partial<Omit<Parameters<typeof httpApplication>[0], 'openStore'>>;

interface Options extends HttpOptions {
  /** Functions that replace those of the repository in memory. */
  readonly pets?: Partial<PetRepository>;
  readonly authenticate?: Authenticate;
}

/** Makes the service with animals in memory. A test may replace any part. */
export const memoryApplication = ({
  pets,
  authenticate = byKey,
  ...options
}: Options = {}): HttpApplication =>
  httpApplication({
    openStore: openAnimalStore({ pets: { ...inMemoryPetRepository(), ...pets }, authenticate }),
    checkReadiness: TE.right(undefined),
    reporter: silentReporter,
    server: { arrivedAt, deadlineOf, readBody },
    ...options,
  });

/** Serves such an application on a free port of this process. */
export const startServer = (
  options: Options = {},
  limits: Partial<Pick<HttpServerOptions, 'maxInFlight' | 'maxWaitMs'>> = {},
): Promise<HttpServer> => {
  const { app, ...answers } = memoryApplication(options);
  const defaults = { host: '127.0.0.1', port: 0, maxInFlight: 10, maxWaitMs: 1_000 };
  return startHttpServer(app.callback(), { ...defaults, ...limits, ...answers });
};

const bound = 20_000;

/** Starts a server whose repository never answers and whose queue is full, so that it rejects every request. */
export const overloadedServer = async ({ reporter = silentReporter, ...options }: HttpOptions = {}) => {
  let release = ignore;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hang = () => TE.leftTask(() => released.then(() => unavailable('released')));
  let refused = 0;
  const refusedIds = new Set<string>();
  const requestRejected: Reporter['requestRejected'] = (record) => {
    refused += 1;
    refusedIds.add(record.requestId);
    reporter.requestRejected(record);
  };
  const { address, stop } = await startServer(
    { ...options, pets: { list: hang, create: hang }, reporter: { ...reporter, requestRejected } },
    { maxInFlight: 1, maxWaitMs: 1 },
  );
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
  // Fill the slots of reads and of writes, which are separate.
  await fill('GET', {});
  await fill('POST', { body: '{"name":"Rex","categoryId":7}' });
  return {
    address,
    key,
    /** Returns the number of requests rejected so far. */
    refused: () => refused,
    stop: async (): Promise<void> => {
      release();
      await Promise.all(waiting);
      await stop(0);
    },
  };
};
