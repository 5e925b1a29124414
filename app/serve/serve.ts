import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import {
  type CheckReadiness,
  httpApplication,
  type HttpServer,
  type NotReady,
  type Reporter,
  startHttpServer,
} from '../../adapters/http';
import { prometheusMetrics, type PrometheusMetrics } from '../../adapters/prometheus';
import { openAnimalStore } from '../../core';
import type { Backend } from '../backend/backend';
import { measuredReporter } from './measured-reporter';
import { openBackend } from '../backend/open-backend';
import type { Settings } from '../settings/settings';
import { cannotListen, type StartFailure } from '../failures/start-failure';

/** A service that answers requests. */
export interface Service {
  /** As in `http://127.0.0.1:3000`. */
  readonly address: string;
  /** The key that was made because there was none. */
  readonly firstKey: string | undefined;
}

interface Lifetime {
  /** Told every five seconds what a long migration is at. */
  readonly onProgress: (text: string) => void;
  /** Where requests and failures are reported. */
  readonly reporter: Reporter;
  /** Called once the service answers; when it ends, the service stops. */
  readonly until: (service: Service) => Promise<void>;
}

const notReady = (reason: string): NotReady => ({ _tag: 'NotReady', reason });

const whileServing = (checkReadiness: Backend['checkReadiness'], isStopping: () => boolean): CheckReadiness =>
  pipe(
    checkReadiness,
    T.map((obstacle) => (isStopping() ? 'it is stopping' : obstacle)),
    T.map((reason) => (reason === undefined ? E.right(undefined) : E.left(notReady(reason)))),
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

  const listen = ({
    ports,
    checkReadiness,
    consumeQuota,
    pools,
  }: Backend): TE.TaskEither<StartFailure, HttpServer> => {
    const application = httpApplication({
      openStore: openAnimalStore(ports),
      checkReadiness: whileServing(checkReadiness, () => stopping),
      readMetrics: metrics.read,
      consumeQuota,
      corsOrigins: settings.CORS_ORIGIN,
    });
    return TE.tryCatch(() => {
      metrics.watchPools(pools);
      return startHttpServer(application, {
        host: settings.HOST,
        port: settings.PORT,
        maxInFlight: settings.MAX_IN_FLIGHT,
        maxWait: settings.MAX_WAIT,
        reporter: measured,
        corsOrigins: settings.CORS_ORIGIN,
        trustedProxies: settings.TRUST_PROXY,
      });
    }, cannotListen);
  };

  const stop = (server: HttpServer): TE.TaskEither<never, void> =>
    TE.fromTask(() => {
      stopping = true;
      return server.stop(settings.STOP_DELAY);
    });

  return TE.bracket(
    openBackend(settings, metrics.batches, onProgress),
    (backend) =>
      TE.bracket(
        listen(backend),
        ({ address }) =>
          pipe(
            backend.makeFirstKey,
            TE.flatMap((firstKey) => endOf(backend, () => until({ address, firstKey }))),
          ),
        stop,
      ),
    ({ close }) => TE.fromTask(close),
  );
};

/** The composition root: opens what the settings name, serves until told to stop, and releases all of it. */
export const serve = (settings: Settings, lifetime: Lifetime): TE.TaskEither<StartFailure, void> =>
  pipe(
    TE.fromIO(prometheusMetrics),
    TE.flatMap((metrics) => serveWith(metrics, settings, lifetime)),
  );
