#!/usr/bin/env node
/* Entry point of the command `animal-store` (`bin` in package.json). */

import { prepareSignals } from './terminal/signals';

prepareSignals();

const run = async (): Promise<void> => {
  const { commandLine } = await import('./commands/command-line.js');
  process.exit(await commandLine(process.argv, process));
};

run().catch((error: unknown) => {
  // Node opens the files of the program, too, and may reach the limit of open files.
  if (!(error instanceof Error && 'code' in error && error.code === 'EMFILE')) throw error;
  process.stderr.write('animal-store: too many open files; raise the limit, `ulimit -n`\n');
  process.exit(1);
});
