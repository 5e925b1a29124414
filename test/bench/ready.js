import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { operationNames } from './lib/load/operations.js';
import { readOptions } from './lib/options.js';
import { readyReport } from './lib/reports/ready-report.js';
import { saveResults } from './lib/reports/results.js';
import { createSqliteFile } from './lib/databases/sqlite-file.js';
import { emptyDirectory } from './lib/processes/start-targets.js';
import { median, round } from './lib/statistics.js';
import { startTarget } from './lib/processes/target-process.js';
import { service } from './targets.js';

const options = readOptions({ targetNames: ['animal-store'], operationNames: Object.keys(operationNames) });
const starts = options.quick ? 3 : 11;

/** Milliseconds from the start of `node` to the first 200 of /readyz. */
const timeStart = async (databaseUrl) => {
  const began = performance.now();
  const target = await startTarget({
    arguments: service,
    databaseUrl,
    logFile: join(options.directory, 'ready.log'),
  });
  const { status } = await fetch(`${target.address}/readyz`);
  const milliseconds = performance.now() - began;
  await target.stop();
  if (status !== 200) throw new Error(`/readyz answers ${status}`);
  return milliseconds;
};

await emptyDirectory(options.directory);
const filename = join(options.directory, 'ready.sqlite3');
await createSqliteFile(filename, options.animals);
const times = [];
for (let start = 0; start < starts; start += 1) times.push(await timeStart(`sqlite:${filename}`));
await rm(options.directory, { recursive: true, force: true });

const results = {
  animals: options.animals,
  starts,
  median: round(median(times)),
  most: round(Math.max(...times)),
};
process.stdout.write(`${readyReport(results)}\n`);
if (options.whole) await saveResults('ready', results);
