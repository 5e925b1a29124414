import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startLoadGenerator } from './lib/load/load-generator.js';
import { say } from './lib/load/measure-rounds.js';
import { memoryReport } from './lib/reports/memory-report.js';
import { operationNames } from './lib/load/operations.js';
import { readOptions } from './lib/options.js';
import { saveResults } from './lib/reports/results.js';
import { createSqliteFile } from './lib/databases/sqlite-file.js';
import { emptyDirectory } from './lib/processes/start-targets.js';
import { median, round } from './lib/statistics.js';
import { startTarget } from './lib/processes/target-process.js';
import { service } from './targets.js';

const options = readOptions({ targetNames: ['animal-store'], operationNames: Object.keys(operationNames) });
const minutes = options.quick ? 0.25 : options.minutes;
const restSeconds = options.quick ? 1 : 10;

/** Resident megabytes after each of the measurements that fill the minutes, all operations in turn. */
const underLoad = async (target) => {
  const generator = startLoadGenerator();
  const until = performance.now() + minutes * 60_000;
  const samples = [];
  for (let turn = 0; performance.now() < until; turn += 1) {
    const operation = options.operations[turn % options.operations.length];
    const { animals, seconds } = options;
    const { resident } = await generator.measure(target, { operation, connections: 64, seconds, animals });
    samples.push(resident);
  }
  generator.stop();
  const part = Math.ceil(samples.length / 5);
  return {
    firstFifth: round(median(samples.slice(0, part))),
    lastFifth: round(median(samples.slice(-part))),
    most: round(Math.max(...samples)),
  };
};

await emptyDirectory(options.directory);
const filename = join(options.directory, 'memory.sqlite3');
const key = await createSqliteFile(filename, options.animals);
const target = await startTarget({
  arguments: service,
  databaseUrl: `sqlite:${filename}`,
  key,
  logFile: join(options.directory, 'memory.log'),
});
const results = { animals: options.animals, minutes };
try {
  await delay(restSeconds * 1000);
  results.rest = round(target.resident());
  say(`at rest ${results.rest} MB`);
  results.load = await underLoad(target);
  say(`${minutes} minutes under load are over`);
} finally {
  await target.stop();
  await rm(options.directory, { recursive: true, force: true });
}
process.stdout.write(`${memoryReport(results)}\n`);
if (options.whole) await saveResults('memory', results);
