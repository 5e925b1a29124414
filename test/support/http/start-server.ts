import * as TE from 'fp-ts/TaskEither';
import { type HttpApplication, httpApplication, type Reporter } from '../../../adapters/http';
import { type HttpServer, startHttpServer } from '../../../adapters/http/server/server';
import { inMemoryApiKeys, inMemoryPetRepository } from '../../../adapters/in-memory';
import { type Authenticate, type ConsumeQuota, storeOpener, type PetRepository } from '../../../core';
import { arbitraryApiKey, arbitraryKeyId } from '../../contracts';

const ignore = (): void => undefined;

export const silentReporter: Reporter = {
  requestEnded: ignore,
  requestRejected: ignore,
  requestFailed: ignore,
};

/** API key that applications of `memoryApplication` accept. */
export const key = arbitraryApiKey();

/** Authentication port that accepts only `key`. */
export const { authenticate: byKey } = inMemoryApiKeys([[arbitraryKeyId(), key]]);

type HttpOptions = Partial<Omit<Parameters<typeof httpApplication>[0], 'openStore'>>;

interface Options extends HttpOptions {
  /** Functions that replace functions of the in-memory repository. */
  readonly pets?: Partial<PetRepository>;
  readonly authenticate?: Authenticate;
  readonly consumeQuota?: ConsumeQuota | undefined;
}

/** Makes the service with animals in memory. A test may replace any part. */
export const memoryApplication = ({
  pets,
  authenticate = byKey,
  consumeQuota,
  ...options
}: Options = {}): HttpApplication =>
  httpApplication({
    openStore: storeOpener({ pets: { ...inMemoryPetRepository(), ...pets }, authenticate, consumeQuota }),
    checkReadiness: TE.right(undefined),
    reporter: silentReporter,
    ...options,
  });

/** Serves an application of `memoryApplication` in this process, on a free port. */
export const startServer = (options: Options = {}): Promise<HttpServer> => {
  const { app, ...answers } = memoryApplication(options);
  return startHttpServer(app.callback(), {
    host: '127.0.0.1',
    port: 0,
    maxConnections: 1_000,
    idleSeconds: 65,
    ...answers,
  });
};
