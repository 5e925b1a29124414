import * as TE from 'fp-ts/TaskEither';
import {
  adminApplication,
  type CheckReadiness,
  httpApplication,
  type HttpServer,
  type ReadMetrics,
  type Reporter,
  startHttpServer,
} from '../../adapters/http';
import { openAnimalStore } from '../../core';
import type { Backend } from '../backend/backend';
import { cannotListen, type StartFailure } from '../failures/start-failure';
import type { Settings } from '../settings/settings';

/** Few ask here: a probe, a scrape. It has a line of its own, so that an overload of the public port is seen from it. */
const adminLimits = { maxInFlight: 16, maxWait: 1_000 };

/** Reports defects alone: probes and scrapes come every few seconds, and are neither logged nor counted. */
const quiet = ({ error }: Reporter): Reporter => ({
  requestEnded: () => undefined,
  requestRejected: () => undefined,
  error,
});

/** Starts what serves clients. */
export const startPublicServer = (
  settings: Settings,
  { ports, consumeQuota }: Backend,
  checkReadiness: CheckReadiness,
  reporter: Reporter,
): TE.TaskEither<StartFailure, HttpServer> => {
  const application = httpApplication({
    openStore: openAnimalStore(ports),
    checkReadiness,
    consumeQuota,
    corsOrigins: settings.CORS_ORIGIN,
  });
  return TE.tryCatch(
    () =>
      startHttpServer(application, {
        host: settings.HOST,
        port: settings.PORT,
        maxInFlight: settings.MAX_IN_FLIGHT,
        maxWait: settings.MAX_WAIT,
        reporter,
        corsOrigins: settings.CORS_ORIGIN,
        trustedProxies: settings.TRUST_PROXY,
      }),
    cannotListen(''),
  );
};

/** Starts what serves the operator; undefined where no port is set for it. */
export const startAdminServer = (
  { ADMIN_HOST: host, ADMIN_PORT: port }: Settings,
  checkReadiness: CheckReadiness,
  readMetrics: ReadMetrics,
  reporter: Reporter,
): TE.TaskEither<StartFailure, HttpServer | undefined> =>
  port === undefined
    ? TE.right(undefined)
    : TE.tryCatch(
        () =>
          startHttpServer(adminApplication({ checkReadiness, readMetrics }), {
            ...adminLimits,
            host,
            port,
            reporter: quiet(reporter),
          }),
        cannotListen('ADMIN_'),
      );
