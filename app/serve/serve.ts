import type { Logger } from 'pino';
import {
  adminApplication,
  type HttpApplication,
  httpApplication,
  petOperations,
  type Reporter,
} from '../../adapters/http';
import { type HttpServer, type HttpServerOptions, startHttpServer } from '../../adapters/http/server/server';
import { batchOperations } from '../../adapters/knex';
import { prometheusMetrics, type PrometheusMetrics } from '../../adapters/prometheus';
import { storeOpener } from '../../core';
import { mayCreateStore } from '../store/open-database';
import { listenBriefly } from '../store/port';
import { openServiceStore, type ServiceStore } from '../store/service-store';
import { CommandFailed, reasonOf } from '../failures';
import { databaseUrlText } from '../settings/database-url';
import { changedSettings, type Settings } from '../settings/settings';
import { readiness, readServiceStatus } from './readiness';
import { requestReporter } from './request-reporter';

export interface Service {
  readonly address: string;
  readonly adminAddress: string | undefined;
  readonly firstKey: string | undefined;
}

const maxAdminConnections = 100;

const defectsOnly = ({ error }: Reporter): Reporter => ({
  requestEnded: () => undefined,
  requestRejected: () => undefined,
  error,
});

const start = async (
  { app, ...serverOptions }: HttpApplication,
  limits: Omit<HttpServerOptions, keyof HttpApplication>,
  prefix: '' | 'ADMIN_',
): Promise<HttpServer> => {
  try {
    return await startHttpServer(app.callback(), { ...limits, ...serverOptions });
  } catch (cause) {
    throw new CommandFailed({ _tag: 'CannotListen', cause, prefix });
  }
};

const lossCheckMs = 500;

/** Maximum time to stop the admin server, counted from the stop of the public server. */
const adminStopMs = 500;

interface ServeContext {
  readonly version: string;
  readonly logger: Logger;
  readonly onProgress: (text: string) => void;
  readonly until: (service: Service) => Promise<NodeJS.Signals>;
}

const endOf = async (store: ServiceStore, stopSignal: Promise<NodeJS.Signals>): Promise<NodeJS.Signals> => {
  let timer: NodeJS.Timeout | undefined;
  const lost = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      if (store.isFileReplaced()) reject(new CommandFailed({ _tag: 'DatabaseLost' }));
    }, lossCheckMs);
  });
  try {
    return await Promise.race([stopSignal, lost]);
  } finally {
    clearInterval(timer);
  }
};

/** State of the public server that the admin server reports. */
interface PublicState {
  isStopping: boolean;
  openConnections: () => number;
}

/** Parts of the service that its servers share. */
interface Parts {
  readonly settings: Settings;
  readonly store: ServiceStore;
  readonly reporter: ReturnType<typeof requestReporter>;
  readonly checkReadiness: ReturnType<typeof readiness>;
  readonly state: PublicState;
}

const startAdmin = async (
  { settings, store, reporter, checkReadiness, state }: Parts,
  metrics: PrometheusMetrics | undefined,
): Promise<HttpServer | undefined> => {
  const { ADMIN_HOST: host, ADMIN_PORT: port, KEEP_ALIVE_SECONDS: idleSeconds } = settings;
  if (port === undefined || metrics === undefined) return undefined;
  const readMetrics = async () =>
    metrics.read({
      ...(await readServiceStatus(store, checkReadiness)),
      openConnections: state.openConnections(),
    });
  const application = adminApplication(defectsOnly(reporter), checkReadiness, readMetrics);
  return start(application, { host, port, maxConnections: maxAdminConnections, idleSeconds }, 'ADMIN_');
};

const startPublic = ({ settings, store, reporter, checkReadiness }: Parts): Promise<HttpServer> => {
  const application = httpApplication({
    openStore: storeOpener(store.ports),
    checkReadiness,
    reporter,
    corsOrigins: settings.CORS_ORIGIN,
    trustedProxies: settings.TRUST_PROXY,
  });
  const limits = {
    host: settings.HOST,
    port: settings.PORT,
    maxConnections: settings.MAX_CONNECTIONS,
    idleSeconds: settings.KEEP_ALIVE_SECONDS,
    onConnectionRefused: reporter.connectionRefused,
  };
  return start(application, limits, '');
};

/** Serves clients until a signal or the loss of the database. Logs the start and the stop. */
const servePublic = async (
  parts: Parts,
  adminAddress: string | undefined,
  { version, logger, until }: ServeContext,
): Promise<void> => {
  const { settings, store, state } = parts;
  const { DATABASE_URL, STOP_DELAY } = settings;
  const server = await startPublic(parts);
  state.openConnections = server.openConnections;
  let stopDelayMs = STOP_DELAY;
  try {
    const addresses = { address: server.address, adminAddress };
    const stopSignal = until({ ...addresses, firstKey: await store.createFirstKey() });
    const database = databaseUrlText(DATABASE_URL);
    logger.info({ version, ...addresses, database, settings: changedSettings(settings) }, 'started');
    const signal = await endOf(store, stopSignal);
    logger.info({ signal, stopDelayMs: STOP_DELAY }, 'stopping');
  } catch (error) {
    // Stops without a delay, because reads would still be answered from a deleted database file.
    stopDelayMs = 0;
    logger.fatal({ reason: reasonOf(error, DATABASE_URL) }, 'stopping');
    throw error;
  } finally {
    state.isStopping = true;
    await server.stop(stopDelayMs);
  }
};

const serveClients = async (
  settings: Settings,
  store: ServiceStore,
  metrics: PrometheusMetrics | undefined,
  context: ServeContext,
): Promise<void> => {
  const reporter = requestReporter(context.logger, settings, metrics?.requests);
  const state: PublicState = { isStopping: false, openConnections: () => 0 };
  const checkReadiness = readiness(store, context.logger, () => state.isStopping);
  const parts: Parts = { settings, store, reporter, checkReadiness, state };
  const admin = await startAdmin(parts, metrics);
  try {
    await servePublic(parts, admin?.address, context);
  } finally {
    await admin?.stop(0, adminStopMs);
    reporter.reportNotLogged();
  }
};

/**
 * Runs the service from start to stop. The admin server starts first and stops last, so that startup and shutdown can
 * be observed.
 */
export const serve = async (settings: Settings, context: ServeContext): Promise<void> => {
  const { version, logger, onProgress } = context;
  if (mayCreateStore(settings))
    // Tries the ports first, so that a start that can't listen leaves no new, empty database.
    for (const prefix of ['ADMIN_', ''] as const) await listenBriefly(settings, prefix);
  const metrics =
    settings.ADMIN_PORT === undefined
      ? undefined
      : prometheusMetrics({ version, operations: Object.values(petOperations), batchOperations });
  const store = await openServiceStore(settings, metrics?.batches, onProgress);
  try {
    await serveClients(settings, store, metrics, context);
  } finally {
    await store.close();
  }
  logger.info('stopped');
};
