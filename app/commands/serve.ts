import { Command } from 'commander';
import { bannerText, firstCommands } from '../serve/banner';
import type { Service } from '../serve/run-service';
import { databaseUrlText } from '../settings/database-url';
import {
  changedSettings,
  defaultFile,
  defaults,
  isProduction,
  type Settings,
  settingTexts,
} from '../settings/settings';
import { showProgress } from '../terminal/progress-bar';
import { nextStopSignal } from '../terminal/signals';
import { type Style, styleFor } from '../terminal/style';
import { announceStop, type PrintMessage, type Terminal, withJsonMessages } from '../terminal/terminal';
import { readVersion } from '../version';
import { runCommand } from './run-command';

export const startLine = (settings: Settings, address: string): string => {
  const changed = changedSettings(settings);
  const set = changed.length === 0 ? 'all settings are default' : `set: ${changed.join(', ')}`;
  return `animal-store serves ${address} with its data in ${databaseUrlText(settings.DATABASE_URL)} (${set})`;
};

const announce = (
  { printMessage, writeError, stderr, env }: Terminal,
  settings: Settings,
  service: Service,
): void => {
  const { address, adminAddress, firstKey } = service;
  if (stderr.isTTY === true) {
    writeError(bannerText(service, settings, readVersion(), styleFor(stderr, env)));
    return;
  }
  printMessage(startLine(settings, address));
  if (adminAddress !== undefined) printMessage(`Metrics and health checks, without a key: ${adminAddress}`);
  if (firstKey === undefined) return;
  printMessage('First API key, shown only once, and a command that adds an animal:');
  for (const line of firstCommands(address, firstKey)) printMessage(line);
};

const defaultText = (name: string): string => {
  if (name === 'DATABASE_URL') return ` (sqlite:${defaultFile})`;
  const text = defaults[name] ?? 'none';
  return ['', 'none'].includes(text) || name === 'API_KEYS' ? '' : ` (${text})`;
};

const helpWidth = 80;

const settingsText = (style: Style): string => {
  const indent = Math.max(...Object.keys(settingTexts).map(({ length }) => length)) + 4;
  const lines = Object.entries(settingTexts).map(([name, text]) => {
    const value = defaultText(name);
    const isLong = indent + text.length + value.length > helpWidth;
    const gap = isLong ? `\n${' '.repeat(indent - 1)}` : '';
    return `  ${style('cyan', name.padEnd(indent - 2))}${text}${gap}${value}`;
  });
  return ['', style('bold', 'Environment variables (docs/configuration.md):'), ...lines].join('\n');
};

/** Imports the HTTP server only when the command runs, because a static import would delay every other command. */
export const serveCommand = (io: Terminal): Command =>
  new Command('serve')
    .summary('serve the API and its pages')
    .description('serve HTTP until SIGTERM or SIGINT')
    .addHelpText('after', () => settingsText(styleFor(io.stdout, io.env)))
    .action(async () => {
      const { openLog } = await import('../serve/service-log.js');
      const { runService } = await import('../serve/run-service.js');
      const isForPrograms = isProduction(io.env) && io.stderr.isTTY !== true;
      const terminal = isForPrograms ? withJsonMessages(io) : io;

      await runCommand(terminal, async (settings) => {
        const { logger, close } = openLog(settings, terminal);
        let isMigrating = false;
        const bar = showProgress(terminal, () => (isMigrating ? { stage: 'migrating' } : undefined));
        const printMessage: PrintMessage = (text, kind) => {
          bar.clearLine();
          terminal.printMessage(text, kind);
        };
        try {
          await runService(settings, {
            version: readVersion(),
            logger,
            env: terminal.env,
            printMessage,
            printMigration: (text) => {
              isMigrating = true;
              printMessage(text);
            },
            untilStopSignal: (service) => {
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
