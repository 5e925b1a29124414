import {
  adminApplication,
  type CheckReadiness,
  type HttpApplication,
  httpApplication,
  type ReadMetrics,
  type Reporter,
} from '../../adapters/http';
import {
  arrivedAt,
  deadlineOf,
  type HttpServer,
  type HttpServerOptions,
  readBody,
  startHttpServer,
} from '../../adapters/http-server';
import { openAnimalStore } from '../../core';
import type { Backend } from '../backend/backend';
import { CommandFailed } from '../failures';
import type { Settings } from '../settings/settings';
import { serverTimeouts } from '../../core/timeouts';

type Limits = Pick<HttpServerOptions, 'host' | 'port' | 'maxInFlight' | 'maxWaitMs'>;

/** Separate limits, so that the admin server answers while the public server is overloaded. */
const adminLimits = { maxInFlight: 16, maxWaitMs: serverTimeouts.maxWaitMs };

/** Neither logs nor counts requests: probes and scrapes come every few seconds. */
const defectsOnly = ({ error }: Reporter): Reporter => ({
  requestEnded: () => undefined,
  requestRejected: () => undefined,
  error,
});

const start = async (
  { app, ...answers }: HttpApplication,
  limits: Limits,
  prefix: '' | 'ADMIN_',
): Promise<HttpServer> => {
  try {
    return await startHttpServer(app.callback(), { ...limits, ...answers });
  } catch (cause) {
    throw new CommandFailed({ _tag: 'CannotListen', cause, prefix });
  }
};

export const startPublicServer = (
  settings: Settings,
  { ports, consumeQuota }: Backend,
  checkReadiness: CheckReadiness,
  reporter: Reporter,
): Promise<HttpServer> => {
  const application = httpApplication({
    openStore: openAnimalStore(ports),
    checkReadiness,
    reporter,
    consumeQuota,
    corsOrigins: settings.CORS_ORIGIN,
    trustedProxies: settings.TRUST_PROXY,
    server: { arrivedAt, deadlineOf, readBody },
  });
  const { HOST: host, PORT: port, MAX_IN_FLIGHT: maxInFlight, MAX_WAIT: maxWaitMs } = settings;
  return start(application, { host, port, maxInFlight, maxWaitMs }, '');
};

export const startAdminServer = async (
  { ADMIN_HOST: host, ADMIN_PORT: port }: Settings,
  checkReadiness: CheckReadiness,
  readMetrics: ReadMetrics,
  reporter: Reporter,
): Promise<HttpServer | undefined> => {
  if (port === undefined) return undefined;
  const application = adminApplication({ checkReadiness, readMetrics, reporter: defectsOnly(reporter) });
  return start(application, { ...adminLimits, host, port }, 'ADMIN_');
};
