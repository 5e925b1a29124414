#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { missingPackageText } from './package/missing-package';

const explain = (error: unknown): void => {
  const text = missingPackageText(error);
  if (text === undefined) throw error;
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
};

// Once many requests have outlived two collections, V8 makes what their code makes in the old generation; there each
// dead object keeps its request until that is collected. In one process of three it cost a quarter of the speed.
setFlagsFromString('--no-allocation-site-pretenuring');

// Who read the messages may have gone: the work goes on.
process.stderr.on('error', () => undefined);

import('./commands/command-line.js').then(({ commandLine }) => commandLine(process.argv)).catch(explain);
