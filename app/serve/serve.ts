import { constVoid } from 'fp-ts/function';
import type { Logger } from 'pino';
import {
  adminApplication,
  type CheckReadiness,
  type HttpApplication,
  httpApplication,
  petOperations,
  type ReadMetrics,
  type Reporter,
} from '../../adapters/http';
import { type HttpServer, type HttpServerOptions, startHttpServer } from '../../adapters/http-server';
import { prometheusMetrics, type PrometheusMetrics } from '../../adapters/prometheus';
import { openAnimalStore } from '../../core';
import { type Backend, openBackend } from '../backend/backend';
import { CommandFailed, reasonOf } from '../failures';
import { databaseAddressText } from '../database-address';
import { changedSettings, type Settings } from '../settings';
import {
  logReporter,
  measuredReporter,
  observeBatches,
  readiness,
  readServiceStatus,
  refusedConnections,
} from './observability';

export interface Service {
  readonly address: string;
  readonly adminAddress: string | undefined;
  readonly firstKey: string | undefined;
  readonly lacksKey: boolean;
}

type Limits = Omit<HttpServerOptions, keyof HttpApplication>;

const maxAdminConnections = 100;

const defectsOnly = ({ error }: Reporter): Reporter => ({
  requestEnded: () => undefined,
  requestRejected: () => undefined,
  error,
});

const start = async (
  { app, ...serverOptions }: HttpApplication,
  limits: Limits,
  prefix: '' | 'ADMIN_',
): Promise<HttpServer> => {
  try {
    return await startHttpServer(app.callback(), { ...limits, ...serverOptions });
  } catch (cause) {
    throw new CommandFailed({ _tag: 'CannotListen', cause, prefix });
  }
};

const startPublicServer = (
  settings: Settings,
  { ports, consumeQuota }: Backend,
  checkReadiness: CheckReadiness,
  reporter: Reporter,
  onConnectionRefused: () => void,
): Promise<HttpServer> => {
  const application = httpApplication({
    openStore: openAnimalStore(ports),
    checkReadiness,
    reporter,
    consumeQuota,
    corsOrigins: settings.CORS_ORIGIN,
    trustedProxies: settings.TRUST_PROXY,
  });
  const { HOST: host, PORT: port, MAX_CONNECTIONS: maxConnections } = settings;
  return start(application, { host, port, maxConnections, onConnectionRefused }, '');
};

const startAdminServer = async (
  { ADMIN_HOST: host, ADMIN_PORT: port }: Settings,
  checkReadiness: CheckReadiness,
  readMetrics: ReadMetrics,
  reporter: Reporter,
): Promise<HttpServer | undefined> => {
  if (port === undefined) return undefined;
  const application = adminApplication({ checkReadiness, readMetrics, reporter: defectsOnly(reporter) });
  return start(application, { host, port, maxConnections: maxAdminConnections }, 'ADMIN_');
};

const lossCheckMs = 500;

/** Maximum time of the stop of the server on ADMIN_PORT, which follows that of the public server. */
const adminStopMs = 500;

interface Lifetime {
  readonly version: string;
  readonly logger: Logger;
  readonly onProgress: (text: string) => void;
  readonly until: (service: Service) => Promise<NodeJS.Signals>;
}

const endOf = async (backend: Backend, told: Promise<NodeJS.Signals>): Promise<NodeJS.Signals> => {
  let timer: NodeJS.Timeout | undefined;
  const lost = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      if (backend.isFileReplaced()) reject(new CommandFailed({ _tag: 'DatabaseLost' }));
    }, lossCheckMs);
  });
  try {
    return await Promise.race([told, lost]);
  } finally {
    clearInterval(timer);
  }
};

const serveClients = async (
  settings: Settings,
  backend: Backend,
  metrics: PrometheusMetrics,
  { version, logger, until }: Lifetime,
  onStarted: () => void,
): Promise<void> => {
  const reporter = logReporter(logger, settings.DATABASE_URL);
  let isStopping = false;
  const checkReadiness = readiness(backend, logger, () => isStopping);
  const readMetrics = async () => metrics.read(await readServiceStatus(backend, checkReadiness));

  const run = async (address: string, adminAddress: string | undefined): Promise<void> => {
    const firstKey = await backend.createFirstKey();
    const lacksKey = await backend.lacksKey();
    const told = until({ address, adminAddress, firstKey, lacksKey });
    const database = databaseAddressText(settings.DATABASE_URL);
    logger.info({ version, address, adminAddress, database, settings: changedSettings(settings) }, 'started');
    onStarted();
    try {
      const signal = await endOf(backend, told);
      logger.info({ signal, stopDelayMs: settings.STOP_DELAY }, 'stopping');
    } catch (error) {
      logger.fatal({ reason: reasonOf(error, settings.DATABASE_URL) }, 'stopping');
      throw error;
    }
  };

  const stop = async (server: HttpServer): Promise<void> => {
    isStopping = true;
    const draining = setTimeout(() => {
      logger.info('draining');
    }, settings.STOP_DELAY);
    await server.stop(settings.STOP_DELAY);
    clearTimeout(draining);
  };

  const admin = await startAdminServer(settings, checkReadiness, readMetrics, reporter);
  try {
    // Without ADMIN_PORT, no program can read the metrics of requests.
    const measured = admin === undefined ? reporter : measuredReporter(reporter, metrics);
    const countRefused = refusedConnections(logger, metrics, settings.MAX_CONNECTIONS);
    const server = await startPublicServer(settings, backend, checkReadiness, measured, countRefused);
    try {
      await run(server.address, admin?.address);
    } finally {
      await stop(server);
    }
  } finally {
    await admin?.stop(0, adminStopMs);
  }
};

/**
 * Runs the service from start to stop. app/commands/serve.ts imports and calls it only when the command runs. The admin
 * server starts first and stops last, so that startup and shutdown can be observed.
 */
export const serve = async (settings: Settings, lifetime: Lifetime): Promise<void> => {
  const { version, logger, onProgress } = lifetime;
  const metrics = prometheusMetrics({ version, operations: petOperations });
  const backend = await openBackend(settings, observeBatches(metrics, logger), onProgress);
  let reportEnd: () => void = constVoid;
  try {
    await serveClients(settings, backend, metrics, lifetime, () => {
      reportEnd = () => {
        logger.info('stopped');
      };
    });
  } finally {
    await backend.close();
    reportEnd();
  }
};
