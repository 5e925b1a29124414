#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { endBySignals } from './terminal/end-by-signals';

// Once many requests have outlived two collections, V8 makes what their code makes in the old generation; there each
// dead object keeps its request until that is collected. In one process of three it cost a quarter of the speed.
setFlagsFromString('--no-allocation-site-pretenuring');

if (process.pid === 1) endBySignals();

const run = async (): Promise<void> => {
  const { commandLine } = await import('./commands/command-line.js');
  const { exitCode, isStopped } = await commandLine(process.argv, process);
  process.exitCode = exitCode;
  if (isStopped) process.exit();
};

void run();
