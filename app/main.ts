#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { endBySignals } from './terminal/signals';

// After an overload, V8 allocates objects in the old generation if earlier ones of the same code lived long. Each then
// keeps its request in memory until a full collection. In about a third of the runs, this cost a quarter of the
// throughput.
setFlagsFromString('--no-allocation-site-pretenuring');

if (process.pid === 1) endBySignals();

const run = async (): Promise<void> => {
  const { commandLine } = await import('./commands/command-line.js');
  const { exitCode, isStopped } = await commandLine(process.argv, process);
  process.exitCode = exitCode;
  if (isStopped) process.exit();
};

void run();
