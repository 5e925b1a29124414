import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import {
  type CheckReadiness,
  httpApplication,
  type HttpServer,
  type NotReady,
  type Reporter,
  startHttpServer,
} from '../adapters/http';
import { openAnimalStore } from '../core';
import type { Backend } from './backend';
import { openBackend } from './open-backend';
import type { Settings } from './settings';
import { cannotListen, type StartFailure } from './start-failure';

/** A service that answers requests. */
export interface Service {
  /** As in `http://127.0.0.1:3000`. */
  readonly address: string;
  /** The key that was made because there was none. */
  readonly firstKey: string | undefined;
}

interface Lifetime {
  /** Where requests and failures are reported. */
  readonly reporter: Reporter;
  /** Called once the service answers; when it ends, the service stops. */
  readonly until: (service: Service) => Promise<void>;
}

const checkReadiness = (findObstacle: Backend['findObstacle'], isStopping: () => boolean): CheckReadiness =>
  pipe(
    findObstacle,
    TE.orElse(() => TE.right<never, string | undefined>('the database does not answer')),
    TE.map((obstacle) => (isStopping() ? 'it is stopping' : obstacle)),
    TE.flatMapEither((reason): E.Either<NotReady, void> =>
      reason === undefined ? E.right(undefined) : E.left({ _tag: 'NotReady', reason }),
    ),
  );

/** The composition root: opens what the settings name, serves until told to stop, and releases all of it. */
export const serve = (
  settings: Settings,
  { reporter, until }: Lifetime,
): TE.TaskEither<StartFailure, void> => {
  let stopping = false;

  const listen = ({ ports, findObstacle }: Backend): TE.TaskEither<StartFailure, HttpServer> => {
    const app = httpApplication({
      openStore: openAnimalStore(ports),
      checkReadiness: checkReadiness(findObstacle, () => stopping),
      reporter,
    });
    return TE.tryCatch(
      () => startHttpServer(app.callback(), { host: settings.HOST, port: settings.PORT }),
      cannotListen,
    );
  };

  const stop = (server: HttpServer): TE.TaskEither<never, void> => {
    stopping = true;
    return TE.fromTask(server.stop);
  };

  return TE.bracket(
    openBackend(settings),
    (backend) =>
      TE.bracket(
        listen(backend),
        ({ address }) => TE.fromTask(() => until({ address, firstKey: backend.firstKey })),
        stop,
      ),
    ({ close }) => TE.fromTask(close),
  );
};
