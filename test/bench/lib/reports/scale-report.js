import { operationNames } from '../load/operations.js';
import { sharedBuffers } from '../databases/scale-databases.js';
import { table, verdict } from './table.js';

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
