#!/usr/bin/env node
/* Entry point of the command `animal-store` (`bin` in package.json). */

import { setFlagsFromString } from 'node:v8';
import { endBySignals } from './terminal/signals';

// Without this flag, V8 may allocate new objects directly in its old generation after an overload, which only a full
// garbage collection frees. One process in three then lost a quarter of its throughput.
setFlagsFromString('--no-allocation-site-pretenuring');

if (process.pid === 1) endBySignals();

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
