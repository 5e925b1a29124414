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
import { openAnimalStore } from '../../core';
import { mayCreateStore } from '../store/opening';
import { listenBriefly } from '../store/port';
import { openServiceStore, type ServiceStore } from '../store/service-store';
import { reasonOf } from '../failure-text';
import { CommandFailed } from '../failures';
import { databaseUrlText } from '../settings/database-url';
import { changedSettings, type Settings } from '../settings/settings';
import { requestReporter } from './log';
import { readiness, readServiceStatus } from './readiness';

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

interface Lifetime {
  readonly version: string;
  readonly logger: Logger;
  readonly onProgress: (text: string) => void;
  readonly until: (service: Service) => Promise<NodeJS.Signals>;
}

const endOf = async (store: ServiceStore, told: Promise<NodeJS.Signals>): Promise<NodeJS.Signals> => {
  let timer: NodeJS.Timeout | undefined;
  const lost = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      if (store.isFileReplaced()) reject(new CommandFailed({ _tag: 'DatabaseLost' }));
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
  store: ServiceStore,
  metrics: PrometheusMetrics | undefined,
  { version, logger, until }: Lifetime,
): Promise<void> => {
  const { ADMIN_PORT, DATABASE_URL, STOP_DELAY } = settings;
  const reporter = requestReporter(logger, settings, metrics?.requests);
  let isStopping = false;
  let stopDelayMs = STOP_DELAY;
  const checkReadiness = readiness(store, logger, () => isStopping);
  let openConnections = (): number => 0;
  const readStatus = async () => ({
    ...(await readServiceStatus(store, checkReadiness)),
    openConnections: openConnections(),
  });
  const admin =
    ADMIN_PORT === undefined || metrics === undefined
      ? undefined
      : await start(
          adminApplication(defectsOnly(reporter), checkReadiness, async () =>
            metrics.read(await readStatus()),
          ),
          {
            host: settings.ADMIN_HOST,
            port: ADMIN_PORT,
            maxConnections: maxAdminConnections,
            idleSeconds: settings.KEEP_ALIVE_SECONDS,
          },
          'ADMIN_',
        );
  try {
    const application = httpApplication({
      openStore: openAnimalStore(store.ports),
      checkReadiness,
      reporter,
      corsOrigins: settings.CORS_ORIGIN,
      trustedProxies: settings.TRUST_PROXY,
    });
    const limits = {
      maxConnections: settings.MAX_CONNECTIONS,
      idleSeconds: settings.KEEP_ALIVE_SECONDS,
      onConnectionRefused: reporter.connectionRefused,
    };
    const server = await start(application, { host: settings.HOST, port: settings.PORT, ...limits }, '');
    ({ openConnections } = server);
    try {
      const addresses = { address: server.address, adminAddress: admin?.address };
      const told = until({ ...addresses, firstKey: await store.createFirstKey() });
      const database = databaseUrlText(DATABASE_URL);
      logger.info({ version, ...addresses, database, settings: changedSettings(settings) }, 'started');
      const signal = await endOf(store, told);
      logger.info({ signal, stopDelayMs: STOP_DELAY }, 'stopping');
    } catch (error) {
      // Stops without a delay. If the database file was deleted, reads would still be answered from it.
      stopDelayMs = 0;
      logger.fatal({ reason: reasonOf(error, DATABASE_URL) }, 'stopping');
      throw error;
    } finally {
      isStopping = true;
      await server.stop(stopDelayMs);
    }
  } finally {
    await admin?.stop(0, adminStopMs);
    reporter.reportNotLogged();
  }
};

/**
 * Runs the service from start to stop. The admin server starts first and stops last, so that startup and shutdown can
 * be observed.
 */
export const serve = async (settings: Settings, lifetime: Lifetime): Promise<void> => {
  const { version, logger, onProgress } = lifetime;
  if (mayCreateStore(settings))
    // Otherwise a start that fails at its port would leave a new and empty database.
    for (const prefix of ['ADMIN_', ''] as const) await listenBriefly(settings, prefix);
  const metrics =
    settings.ADMIN_PORT === undefined
      ? undefined
      : prometheusMetrics({ version, operations: Object.values(petOperations), batchOperations });
  const store = await openServiceStore(settings, metrics?.batches, onProgress);
  try {
    await serveClients(settings, store, metrics, lifetime);
  } finally {
    await store.close();
  }
  logger.info('stopped');
};
