#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { endBySignals } from './terminal/signals';

// V8 pretenures objects of requests that outlive two collections. Each dead object then retains its request until a
// major collection. In one process of three this cost a quarter of the throughput.
setFlagsFromString('--no-allocation-site-pretenuring');

if (process.pid === 1) endBySignals();

const run = async (): Promise<void> => {
  const { commandLine } = await import('./commands/command-line.js');
  const { exitCode, isStopped } = await commandLine(process.argv, process);
  process.exitCode = exitCode;
  if (isStopped) process.exit();
};

void run();
