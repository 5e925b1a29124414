import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { animal, newPetText } from './lib/animals.js';
import { say } from './lib/load/measure-rounds.js';
import { operationNames } from './lib/load/operations.js';
import { readOptions } from './lib/options.js';
import { saveResults } from './lib/reports/results.js';
import { emptyDirectory } from './lib/processes/start-targets.js';
import { round } from './lib/statistics.js';
import { mostResidentMegabytes } from './lib/processes/target-process.js';
import { transferReport } from './lib/reports/transfer-report.js';
import { service } from './targets.js';

const options = readOptions({ targetNames: ['animal-store'], operationNames: Object.keys(operationNames) });
const counts = options.quick ? [1_000, 10_000, 40_000] : [100_000, 1_000_000, 4_000_000];

/** How often the memory of a command is looked at, in milliseconds. */
const lookInterval = 50;

const inDirectory = (name) => join(options.directory, name);

function* lines(count) {
  for (let index = 1; index <= count; index += 1) yield `${newPetText(animal(index))}\n`;
}

/** Runs a command of the service; answers with its seconds and the most resident megabytes that it had. */
const measure = async (databaseUrl, ...command) => {
  const began = performance.now();
  const child = spawn(process.execPath, [service[0], ...command], {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let most = 0;
  const timer = setInterval(() => {
    most = mostResidentMegabytes(child.pid) ?? most;
  }, lookInterval);
  const [code] = await once(child, 'exit');
  clearInterval(timer);
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}`);
  return { seconds: round((performance.now() - began) / 1000, 1), most: round(most) };
};

const linesIn = async (filename) => {
  let count = 0;
  for await (const chunk of createReadStream(filename)) {
    for (const byte of chunk) if (byte === 10) count += 1;
  }
  return count;
};

const measureCount = async (count) => {
  const [given, taken] = [inDirectory('given.ndjson'), inDirectory('taken.ndjson')];
  await pipeline(Readable.from(lines(count)), createWriteStream(given));
  const databaseUrl = `sqlite:${inDirectory(`${count}.sqlite3`)}`;
  const imported = await measure(databaseUrl, 'import', given);
  const exported = await measure(databaseUrl, 'export', taken);
  const written = await linesIn(taken);
  if (written !== count) throw new Error(`of ${count} animals ${written} came out`);
  const megabytes = round((await stat(given)).size / 1e6);
  await Promise.all([given, taken].map((filename) => rm(filename)));
  say(`${count} animals went in and out`);
  return { count, megabytes, imported, exported };
};

await emptyDirectory(options.directory);
const measurements = [];
for (const count of counts) measurements.push(await measureCount(count));
await rm(options.directory, { recursive: true, force: true });

const results = { measurements };
process.stdout.write(`${transferReport(results)}\n`);
if (options.whole) await saveResults('transfer', results);
