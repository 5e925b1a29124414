import { once } from 'node:events';
import { Command } from 'commander';
import * as TE from 'fp-ts/TaskEither';
import type { Service } from '../serve/serve';
import { startLine } from '../serve/start-line';
import type { Settings } from '../settings/settings';
import type { Terminal } from '../terminal/terminal';
import { runCommand } from './run-command';

const announce = ({ say }: Terminal, settings: Settings, { address, firstKey }: Service): void => {
  say(startLine(settings, address));
  if (firstKey === undefined) return;
  say(`The first API key, shown this once: ${firstKey}`);
  say(`Try it: curl -H 'Authorization: Bearer ${firstKey}' ${address}/v1/pets`);
};

/** Ends at the first SIGTERM or SIGINT; a second one ends the process at once. */
const stopSignal = async (): Promise<void> => {
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  const abort = (): never => process.exit(1);
  process.once('SIGTERM', abort);
  process.once('SIGINT', abort);
};

/** `animal-store serve` */
export const serveCommand = (terminal: Terminal): Command =>
  new Command('serve').description('serve the HTTP interface until SIGTERM or SIGINT').action(async () => {
    const { logReporter } = await import('../serve/log-reporter.js');
    const { openLog } = await import('../serve/open-log.js');
    const { serve } = await import('../serve/serve.js');
    await runCommand(terminal, (settings) =>
      TE.bracket(
        TE.fromIO(() => openLog(settings, terminal)),
        ({ logger }) =>
          serve(settings, {
            reporter: logReporter(logger),
            onProgress: terminal.say,
            until: (service) => {
              // Who reads the address may send a signal at once.
              const stopped = stopSignal();
              announce(terminal, settings, service);
              return stopped;
            },
          }),
        ({ close }) => TE.fromTask(close),
      ),
    );
    terminal.stop();
  });
