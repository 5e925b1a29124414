import * as TE from 'fp-ts/TaskEither';
import { type Application, httpApplication, type Reporter, startHttpServer } from '../../../adapters/http';
import { inMemoryApiKeys, inMemoryPetRepository } from '../../../adapters/in-memory';
import { type Authenticate, openAnimalStore, type PetRepository } from '../../../core';
import { arbitraryApiKey } from '../../contracts/arbitrary/arbitrary-api-key';
import { arbitraryKeyId } from '../../contracts/arbitrary/arbitrary-key-id';

type ApplicationOptions = Parameters<typeof httpApplication>[0];
type ServerOptions = Parameters<typeof startHttpServer>[1];

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
export const memoryApplication = ({
  pets,
  authenticate = byKey,
  ...options
}: Ports & Partial<Omit<ApplicationOptions, 'openStore'>> = {}): Application =>
  httpApplication({
    openStore: openAnimalStore({ pets: { ...inMemoryPetRepository(), ...pets }, authenticate }),
    checkReadiness: TE.right(undefined),
    ...options,
  });

/** Serves an application from this process, at a free port; nobody hears what it reports unless the options say so. */
export const startServer = (
  application: Application,
  options: Partial<ServerOptions> = {},
): ReturnType<typeof startHttpServer> =>
  startHttpServer(application, {
    host: '127.0.0.1',
    port: 0,
    maxInFlight: 10,
    maxWait: 1_000,
    reporter: silentReporter,
    ...options,
  });
