import { Command } from 'commander';
import { bannerText, firstCommands } from '../serve/banner';
import type { Service } from '../serve/serve';
import { databaseUrlText } from '../settings/database-url';
import {
  changedSettings,
  defaultFile,
  defaults,
  fileSettings,
  settingNames,
  type Settings,
} from '../settings/settings';
import { showProgress } from '../terminal/progress-bar';
import { nextStopSignal } from '../terminal/signals';
import { styleFor } from '../terminal/style';
import { announceStop, type Terminal, withJsonMessages } from '../terminal/terminal';
import { readVersion, runCommand } from './run-command';

export const startLine = (settings: Settings, address: string): string => {
  const changed = changedSettings(settings);
  const set = changed.length === 0 ? 'all settings are default' : `set: ${changed.join(', ')}`;
  return `animal-store serves ${address} with its data in ${databaseUrlText(settings.DATABASE_URL)} (${set})`;
};

const announce = (
  { printError, writeError, stderr, env }: Terminal,
  settings: Settings,
  service: Service,
): void => {
  const { address, adminAddress, firstKey } = service;
  if (stderr.isTTY === true) {
    writeError(bannerText(service, settings, readVersion(), styleFor(stderr, env)));
    return;
  }
  printError(startLine(settings, address));
  if (adminAddress !== undefined) printError(`Metrics and health checks, without a key: ${adminAddress}`);
  if (firstKey === undefined) return;
  printError('First API key, shown only now, and a command that adds an animal:');
  firstCommands(address, firstKey).forEach(printError);
};

const defaultOf = (name: string): string => {
  if (name === 'DATABASE_URL') return `sqlite:${defaultFile}`;
  const text = defaults[name] ?? '';
  return text === '' || name === 'API_KEYS' ? 'none' : text;
};

const settingsText = (): string => {
  const names = [...settingNames, ...fileSettings];
  const width = Math.max(...names.map(({ length }) => length));
  const lines = names.map((name) => `  ${name.padEnd(width)}  ${defaultOf(name)}`);
  return ['', 'Environment variables, with their defaults (docs/configuration.md):', ...lines].join('\n');
};

/** Imports the HTTP server only when the command runs, because a static import would delay every other command. */
export const serveCommand = (io: Terminal): Command =>
  new Command('serve')
    .description('serve HTTP until SIGTERM or SIGINT')
    .addHelpText('after', settingsText)
    .action(async () => {
      const { openLog } = await import('../serve/log.js');
      const { serve } = await import('../serve/serve.js');
      const isForPrograms = io.env['NODE_ENV'] === 'production' && io.stderr.isTTY !== true;
      const terminal = isForPrograms ? withJsonMessages(io) : io;

      await runCommand(terminal, async (settings) => {
        const { logger, close } = openLog(settings, terminal);
        let isMigrating = false;
        const bar = showProgress(terminal, () => (isMigrating ? { stage: 'migrating' } : undefined));
        try {
          await serve(settings, {
            version: readVersion(),
            logger,
            onProgress: (text) => {
              isMigrating = true;
              bar.clearLine();
              terminal.printError(text);
            },
            until: (service) => {
              bar.remove();
              // Handles signals before it prints the address, because a program that reads the address may send one
              // at once.
              const stopped = nextStopSignal();
              announce(terminal, settings, service);
              void stopped.then((signal) => {
                announceStop(terminal, signal);
              });
              return stopped;
            },
          });
        } finally {
          bar.remove();
          await close();
        }
      });
    });
