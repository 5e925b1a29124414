import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import { type CheckReadiness, petOperations, type Reporter } from '../../adapters/http';
import { prometheusMetrics, type PrometheusMetrics } from '../../adapters/prometheus';
import type { Backend } from '../backend/backend';
import { measuredReporter } from './measured-reporter';
import { openBackend } from '../backend/open-backend';
import type { Settings } from '../settings/settings';
import { serviceStatus } from './service-status';
import { startAdminServer, startPublicServer } from './start-servers';
import type { StartFailure } from '../failures/start-failure';

/** A service that answers requests. */
export interface Service {
  /** As in `http://127.0.0.1:3000`. */
  readonly address: string;
  /** Where its metrics and its health are without a key, if anywhere. */
  readonly adminAddress: string | undefined;
  /** The key that was made because there was none. */
  readonly firstKey: string | undefined;
}

interface Lifetime {
  /** The release that runs. */
  readonly version: string;
  /** Told every five seconds what a long migration is at. */
  readonly onProgress: (text: string) => void;
  /** Where requests and failures are reported. */
  readonly reporter: Reporter;
  /** Called once the service answers; when it ends, the service stops. */
  readonly until: (service: Service) => Promise<void>;
}

const whileServing = (checkReadiness: Backend['checkReadiness'], isStopping: () => boolean): CheckReadiness =>
  pipe(
    checkReadiness,
    T.map((found) => {
      const reason = isStopping() ? 'it is stopping' : found;
      return reason === undefined ? E.right(undefined) : E.left({ _tag: 'NotReady', reason });
    }),
  );

/** In milliseconds. */
const lossCheckInterval = 500;

/** Ends when the service is told to, or when its backend can't be served any more. */
const endOf =
  (backend: Backend, told: T.Task<void>): TE.TaskEither<StartFailure, void> =>
  () => {
    let timer: NodeJS.Timeout | undefined;
    const lost = new Promise<E.Either<StartFailure, void>>((resolve) => {
      timer = setInterval(() => {
        if (backend.isFileReplaced()) resolve(E.left({ _tag: 'DatabaseLost' }));
      }, lossCheckInterval);
    });
    return Promise.race([told().then(() => E.right(undefined)), lost]).finally(() => {
      clearInterval(timer);
    });
  };

const serveWith = (
  metrics: PrometheusMetrics,
  settings: Settings,
  { reporter, until, onProgress }: Lifetime,
): TE.TaskEither<StartFailure, void> => {
  let stopping = false;
  const measured = measuredReporter(reporter, metrics);

  const serveOn = (backend: Backend): TE.TaskEither<StartFailure, void> => {
    const checkReadiness = whileServing(backend.checkReadiness, () => stopping);

    const answer = (adminAddress: string | undefined) =>
      TE.bracket(
        startPublicServer(settings, backend, checkReadiness, measured),
        ({ address }) =>
          pipe(
            backend.makeFirstKey,
            TE.flatMap((firstKey) => endOf(backend, () => until({ address, adminAddress, firstKey }))),
          ),
        (server) =>
          TE.fromTask(() => {
            stopping = true;
            return server.stop(settings.STOP_DELAY);
          }),
      );

    metrics.watchPools(backend.pools);
    metrics.watchStatus(serviceStatus(backend, checkReadiness));
    // It is there before clients are served and until they are: how a start and a stop go can be seen from it.
    return TE.bracket(
      startAdminServer(settings, checkReadiness, metrics.read, reporter),
      (admin) => answer(admin?.address),
      (admin) => TE.fromTask(async () => admin?.stop(0)),
    );
  };

  return TE.bracket(openBackend(settings, metrics.batches, onProgress), serveOn, ({ close }) =>
    TE.fromTask(close),
  );
};

/** The composition root: opens what the settings name, serves until told to stop, and releases all of it. */
export const serve = (settings: Settings, lifetime: Lifetime): TE.TaskEither<StartFailure, void> =>
  pipe(
    TE.fromIO(() => prometheusMetrics({ version: lifetime.version, operations: petOperations })),
    TE.flatMap((metrics) => serveWith(metrics, settings, lifetime)),
  );
