import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { scaleDatabases, sharedBuffers } from './lib/databases.js';
import { measureRounds, startLoadGenerator } from './lib/measure.js';
import { operationNames } from './lib/operations.js';
import { readOptions } from './lib/options.js';
import { describeMachine, table, verdict } from './lib/report.js';
import { emptyDirectory, startTarget } from './lib/run-targets.js';
import { targets } from './targets.js';

/** Each operation's median latency may be this many times that on the fewest rows. */
const bar = 1.2;

const scaleTable = (name, counts, measurements) => {
  const places = [
    ...new Set(measurements.map(({ connections, operation }) => `${connections} ${operation}`)),
  ];
  const rows = places.map((place) => {
    const [connections, operation] = place.split(' ');
    const p50s = counts.map(
      (count) =>
        measurements.find(
          (one) =>
            one.target === String(count) &&
            one.operation === operation &&
            one.connections === Number(connections),
        ).p50,
    );
    const ratios = p50s.slice(1).map((p50) => p50 / p50s[0]);
    return [
      operationNames[operation],
      connections,
      ...p50s.map((p50) => (p50 / 1000).toFixed(2)),
      ...ratios.map((ratio) => ratio.toFixed(2)),
      verdict(Math.max(...ratios) <= bar),
    ];
  });
  const [least, ...others] = counts.map((count) => count.toLocaleString('en'));
  const head = [
    'operation',
    'connections',
    ...[least, ...others].map((count) => `p50 ms, ${count}`),
    ...others.map((count) => `${count} to ${least}`),
    `<= ${bar}`,
  ];
  return `### ${name}\n\n${table(head, rows)}`;
};

/** How cost grows with rows, as Markdown. */
export const scaleReport = ({ seconds, rounds, counts, measurements }) =>
  [
    `Medians of ${rounds} rounds of ${seconds} s; all sizes are up at once. PostgreSQL runs with shared_buffers = ${sharedBuffers}.`,
    ...Object.entries(measurements).map(([name, taken]) => scaleTable(name, counts, taken)),
  ].join('\n\n');

const options = readOptions({
  targetNames: ['animal-store', 'animal-store-pg'],
  operationNames: Object.keys(operationNames),
});
const counts = options.quick ? [1_000, 10_000, 100_000] : [1_000, 100_000, 10_000_000];

/** How the cost of each operation of this service grows with the rows, on one kind of database. */
const measureScale = async (name) => {
  await emptyDirectory(options.directory);
  const { database: kind, arguments: nodeArguments } = targets[name];
  const { databases, stop } = await scaleDatabases(kind, counts, options.directory);
  const running = {};
  const generator = startLoadGenerator();
  try {
    for (const count of counts) {
      const logFile = join(options.directory, `${count}.log`);
      running[count] = await startTarget({ ...databases[count], arguments: nodeArguments, logFile });
    }
    return await measureRounds(running, generator, {
      ...options,
      animalsOf: Number,
      after: async (count, operation) => {
        if (operation === 'create') await databases[count].reset();
      },
    });
  } finally {
    generator.stop();
    await Promise.all(Object.values(running).map((target) => target.stop()));
    await stop();
    await rm(options.directory, { recursive: true, force: true });
  }
};

const results = { seconds: options.seconds, rounds: options.rounds, counts, measurements: {} };
for (const name of options.targets) results.measurements[name] = await measureScale(name);
process.stdout.write(`${await describeMachine()}\n\n${scaleReport(results)}\n`);
