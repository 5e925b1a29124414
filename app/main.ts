#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { endBySignals } from './terminal/signals';

// V8 allocates objects in the old generation once earlier ones of the same code outlived two collections. Each dead
// object then keeps its request in memory until a major collection. In one process of three this cost a quarter of the
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
