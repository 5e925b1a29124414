import { baselineOf } from '../../targets.js';
import { judge } from './bars.js';
import { operationNames } from '../load/operations.js';
import { table, verdict } from './table.js';

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
