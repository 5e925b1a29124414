#!/usr/bin/env node
import { missingPackageText } from './missing-package';

const explain = (error: unknown): void => {
  const text = missingPackageText(error);
  if (text === undefined) throw error;
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
};

// Who read the messages may have gone: the work goes on.
process.stderr.on('error', () => undefined);

import('./command-line.js').then(({ commandLine }) => commandLine(process.argv)).catch(explain);
