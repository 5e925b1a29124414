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

type ApplicationOptions = Parameters<typeof httpApplication>[0];

/** Options of the application that a test sets when it starts the server. */
type Given = Pick<ApplicationOptions, 'reporter' | 'corsOrigins' | 'trustedProxies'>;

/** Makes an application with the options that a test sets. */
export type TestApplication = (given: Given) => HttpApplication;

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

interface Ports {
  /** Functions that replace those of the repository in memory. */
  readonly pets?: Partial<PetRepository>;
  readonly authenticate?: Authenticate;
}

/** Makes the service with animals in memory. A test may replace any part. */
export const memoryApplication =
  ({
    pets,
    authenticate = byKey,
    ...options
  }: Ports & Partial<Omit<ApplicationOptions, 'openStore' | keyof Given>> = {}): TestApplication =>
  (given) =>
    httpApplication({
      openStore: openAnimalStore({ pets: { ...inMemoryPetRepository(), ...pets }, authenticate }),
      checkReadiness: TE.right(undefined),
      server: { arrivedAt, deadlineOf, readBody },
      ...options,
      ...given,
    });

type Limits = Partial<Pick<HttpServerOptions, 'host' | 'port' | 'maxInFlight' | 'maxWaitMs'>>;

/** Serves an application on a free port of this process. Without a reporter in the options, events are ignored. */
export const startServer = (
  application: TestApplication,
  {
    reporter = silentReporter,
    corsOrigins = [],
    trustedProxies = 0,
    ...limits
  }: Limits & Partial<Given> = {},
): Promise<HttpServer> => {
  const { app, ...answers } = application({ reporter, corsOrigins, trustedProxies });
  return startHttpServer(app.callback(), {
    host: '127.0.0.1',
    port: 0,
    maxInFlight: 10,
    maxWaitMs: 1_000,
    ...limits,
    ...answers,
  });
};

interface Options {
  readonly corsOrigins?: ReadonlyArray<string>;
  readonly reporter?: Reporter;
}

const bound = 20_000;

/** Starts a server whose repository never answers and whose queue is full, so that it rejects every request. */
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
