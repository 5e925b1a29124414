import type { Logger } from 'pino';
import {
  adminApplication,
  type CheckReadiness,
  type HttpApplication,
  httpApplication,
  petOperations,
  rejectionStatuses,
  unauthorizedReasons,
  type Reporter,
} from '../../adapters/http';
import { type HttpServer, type HttpServerOptions, startHttpServer } from '../../adapters/http/server/server';
import { batchOperations } from '../../adapters/knex';
import { prometheusMetrics } from '../../adapters/prometheus';
import { storeOpener } from '../../core';
import { CommandFailed, reasonOf } from '../failures';
import { openServiceStore, type ServiceStore, type ServiceStoreOptions } from '../store/service-store';
import { databaseUrlText } from '../settings/database-url';
import { changedSettings, listenAddressOf, type ServerPrefix, type Settings } from '../settings/settings';
import { requestReporter } from './request-reporter';
import { readServiceStatus, reportReadiness } from './service-status';

export interface Service {
  readonly address: string;
  readonly adminAddress: string | undefined;
  readonly firstKey: string | undefined;
}

interface RunOptions extends ServiceStoreOptions {
  readonly version: string;
  readonly logger: Logger;
  /** Runs when the service accepts requests. Resolves to the signal that stops it. */
  readonly untilStopSignal: (service: Service) => Promise<NodeJS.Signals>;
}

/**
 * Runs the service from start to stop. The admin server starts first and stops last, so that startup and shutdown can
 * be observed.
 */
export const runService = async (
  settings: Settings,
  { version, logger, untilStopSignal, ...storeOptions }: RunOptions,
): Promise<void> => {
  const { DATABASE_URL, STOP_DELAY } = settings;
  const metrics =
    settings.ADMIN_PORT === undefined
      ? undefined
      : prometheusMetrics({
          version,
          operations: Object.values(petOperations),
          rejectionStatuses,
          unauthorizedReasons,
          batchOperations,
        });
  const store = await openServiceStore(settings, metrics?.batches, logger, storeOptions);
  const reporter = requestReporter(logger, settings, metrics?.requests);
  let isStopping = false;
  const checkReadiness = reportReadiness(store, logger, () => isStopping);
  const shared = { settings, reporter, checkReadiness };
  let admin: HttpServer | undefined;
  let server: HttpServer | undefined;
  // Stops without a delay after a failure, because reads would still be answered from a deleted database file.
  let stopDelayMs = 0;
  try {
    admin =
      metrics &&
      (await startAdmin(shared, async () =>
        metrics.read({
          ...(await readServiceStatus(store, checkReadiness)),
          openConnections: server?.openConnections() ?? 0,
        }),
      ));
    server = await startPublic(shared, store);
    const addresses = { address: server.address, adminAddress: admin?.address };
    const stopSignal = untilStopSignal({ ...addresses, firstKey: await store.createFirstKey() });
    const database = databaseUrlText(DATABASE_URL);
    logger.info({ version, ...addresses, database, settings: changedSettings(settings) }, 'started');
    const signal = await endOf(store, stopSignal);
    stopDelayMs = STOP_DELAY;
    logger.info({ signal, stopDelayMs }, 'stopping');
  } catch (error) {
    if (server !== undefined) logger.fatal({ reason: reasonOf(error, DATABASE_URL) }, 'stopping');
    throw error;
  } finally {
    isStopping = true;
    await server?.stop(stopDelayMs);
    await admin?.stop(0, adminStopMs);
    reporter.reportNotLogged();
    await store.close();
  }
  logger.info('stopped');
};

/** Maximum time to stop the admin server, counted from the stop of the public server. */
const adminStopMs = 500;

interface Shared {
  readonly settings: Settings;
  readonly reporter: ReturnType<typeof requestReporter>;
  readonly checkReadiness: CheckReadiness;
}

const startAdmin = async (
  { settings, reporter, checkReadiness }: Shared,
  readMetrics: () => Promise<string>,
): Promise<HttpServer | undefined> => {
  const { host, port } = listenAddressOf(settings, 'ADMIN_');
  if (port === undefined) return undefined;
  const application = adminApplication(defectsOnly(reporter), checkReadiness, readMetrics);
  const limits = {
    host,
    port,
    maxConnections: maxAdminConnections,
    idleSeconds: settings.KEEP_ALIVE_SECONDS,
  };
  return listen(application, limits, 'ADMIN_');
};

const maxAdminConnections = 100;

const defectsOnly = ({ requestFailed }: Reporter): Reporter => ({
  requestEnded: () => undefined,
  requestRejected: () => undefined,
  requestFailed,
});

const startPublic = (
  { settings, reporter, checkReadiness }: Shared,
  { ports }: ServiceStore,
): Promise<HttpServer> => {
  const application = httpApplication({
    openStore: storeOpener(ports),
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
  return listen(application, limits, '');
};

/** Starts a server. Throws CannotListen. `prefix` begins the names of the settings that have the address. */
const listen = async (
  { app, ...serverOptions }: HttpApplication,
  limits: Omit<HttpServerOptions, keyof HttpApplication>,
  prefix: ServerPrefix,
): Promise<HttpServer> => {
  try {
    return await startHttpServer(app.callback(), { ...limits, ...serverOptions });
  } catch (cause) {
    throw new CommandFailed({ _tag: 'CannotListen', cause, prefix });
  }
};

/** Resolves to the stop signal. Rejects with DatabaseLost if the database file is removed or replaced first. */
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

const lossCheckMs = 500;
