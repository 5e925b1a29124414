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
import { type Authenticate, openAnimalStore, type PetRepository } from '../../../core';
import { arbitraryApiKey, arbitraryKeyId } from '../../contracts';

type ApplicationOptions = Parameters<typeof httpApplication>[0];

/** Options of an application that tests give to its server. */
type Given = Pick<ApplicationOptions, 'reporter' | 'corsOrigins' | 'trustedProxies'>;

/** An application that reports where its server is told to. */
export type TestApplication = (given: Given) => HttpApplication;

const ignore = (): void => undefined;

export const silentReporter: Reporter = {
  requestEnded: ignore,
  requestRejected: ignore,
  error: ignore,
};

/** What opens the applications that `memoryApplication` makes. */
export const key = arbitraryApiKey();

/** The auth port of whoever has that key. */
export const { authenticate: byKey } = inMemoryApiKeys([[arbitraryKeyId(), key]]);

interface Ports {
  /** What of a repository in memory is another way. */
  readonly pets?: Partial<PetRepository>;
  readonly authenticate?: Authenticate;
}

/** The service on animals in memory, but for what a test puts in its place. */
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

/** Serves an application from this process, at a free port; nobody hears what it reports unless the options say so. */
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
