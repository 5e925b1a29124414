import * as E from 'fp-ts/Either';
import { makeLogger } from '../../../app/serve/service-log';
import { runService, type Service } from '../../../app/serve/run-service';
import { CommandFailed, reasonOf } from '../../../app/failures';
import { decodeSettings } from '../../../app/settings/settings';
import { messageText, type PrintMessage } from '../../../app/terminal/terminal';
import type { Environment, Outcome } from '../processes/command';
import type { RunningService } from './service-process';

/** API key of a service that a test starts. */
export const apiKey = 'a-key-for-tests-of-the-service';

/** Service in this process, with the API key that it creates on a first start. */
interface ServiceInProcess extends RunningService {
  readonly firstKey: string;
}

/**
 * Runs `animal-store serve` in this process, on a free port, by default with animals in memory. Saves the half second
 * that a process takes to start. Tests of the command line, of signals or of the built files need `startService`.
 */
export const serveInProcess = async (environment: Environment = {}): Promise<ServiceInProcess> => {
  const settings = decodeSettings({ PORT: '0', DATABASE_URL: 'memory:', API_KEYS: apiKey, ...environment });
  if (E.isLeft(settings)) throw new Error(JSON.stringify(settings.left));
  let log = '';
  let messages = '';
  const logger = makeLogger(settings.right.LOG_LEVEL, (line) => (log += line));
  let stop = (): void => undefined;
  const told = new Promise<NodeJS.Signals>((resolve) => {
    stop = () => {
      resolve('SIGTERM');
    };
  });
  let ended: Promise<number>;
  const { address, adminAddress, firstKey } = await new Promise<Service>((resolve, reject) => {
    const untilStopSignal = (service: Service): Promise<NodeJS.Signals> => {
      resolve(service);
      return told;
    };
    const printMessage: PrintMessage = (text, kind = 'info') => {
      messages += `${messageText(text, kind)}\n`;
    };
    const printMigration = (text: string): void => {
      printMessage(`migration: ${text}`);
    };
    const { env } = process;
    const options = { version: '0.0.0-test', logger, env, untilStopSignal, printMessage, printMigration };
    ended = runService(settings.right, options).then(
      () => 0,
      (error: unknown) => {
        if (!(error instanceof CommandFailed)) throw error;
        reject(new Error(reasonOf(error, settings.right.DATABASE_URL)));
        return 1;
      },
    );
    ended.catch(reject);
  });
  return {
    address,
    adminAddress: () => Promise.resolve(adminAddress ?? 'no admin port'),
    firstKey: firstKey ?? 'no first key',
    stdout: () => log,
    stderr: () => messages,
    stop: async (): Promise<Outcome> => {
      stop();
      return { code: await ended, signal: null, stdout: log, stderr: messages };
    },
  };
};

/** Serves with `serveInProcess` until the work has ended. */
export const whileServing = async <A>(
  environment: Environment,
  work: (service: ServiceInProcess) => Promise<A>,
): Promise<A> => {
  const service = await serveInProcess(environment);
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
};
