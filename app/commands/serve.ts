import { once } from 'node:events';
import { Command } from 'commander';
import type { Service } from '../serve/serve';
import { databaseAddressText } from '../database-address';
import { changedSettings, type Settings, settingWarnings } from '../settings';
import type { Terminal } from '../terminal/terminal';
import { readVersion, runCommand } from './run';

export const startLine = (settings: Settings, address: string): string => {
  const changed = changedSettings(settings);
  const set = changed.length === 0 ? 'all settings are default' : `set: ${changed.join(', ')}`;
  return `animal-store serves ${address} with its data in ${databaseAddressText(settings.DATABASE_URL)} (${set})`;
};

const announce = (
  { printError }: Terminal,
  settings: Settings,
  { address, adminAddress, firstKey }: Service,
): void => {
  printError(startLine(settings, address));
  if (adminAddress !== undefined) printError(`Metrics and health checks, without a key: ${adminAddress}`);
  if (firstKey === undefined) return;
  printError(`First API key, shown only once: ${firstKey}`);
  printError(`Try it: curl -H 'Authorization: Bearer ${firstKey}' ${address}/v1/pets`);
};

/** Resolves with the first SIGTERM or SIGINT. A second one ends the process at once. */
const stopSignal = async (): Promise<NodeJS.Signals> => {
  const received = async (signal: NodeJS.Signals): Promise<NodeJS.Signals> => {
    await once(process, signal);
    return signal;
  };
  const signal = await Promise.race([received('SIGTERM'), received('SIGINT')]);
  const abort = (): never => process.exit(1);
  process.once('SIGTERM', abort);
  process.once('SIGINT', abort);
  return signal;
};

export const serveCommand = (terminal: Terminal): Command =>
  new Command('serve').description('serve the HTTP interface until SIGTERM or SIGINT').action(async () => {
    const { openLog } = await import('../serve/log.js');
    const { serve } = await import('../serve/serve.js');

    const serveAndLog = async (settings: Settings): Promise<void> => {
      for (const warning of settingWarnings(terminal.env, settings)) {
        terminal.printError(`warning: ${warning}`);
      }
      const { logger, close } = openLog(settings, terminal);
      try {
        await serve(settings, {
          version: readVersion(),
          logger,
          onProgress: terminal.printError,
          until: (service) => {
            // Installs the signal handlers before printing the address, since a reader of the address may send a signal
            // at once.
            const stopped = stopSignal();
            announce(terminal, settings, service);
            return stopped;
          },
        });
      } finally {
        await close();
      }
    };

    await runCommand(terminal, serveAndLog);
    terminal.stop();
  });
