import os from 'node:os';
import { operations } from './operations.js';
import { image, label, rectangle } from './svg.js';
import { targets } from './targets.js';

const rateOf = (measurements, target, operation, connections) =>
  measurements.find(
    (each) => each.target === target && each.operation === operation && each.connections === connections,
  )?.requestsPerSecond;

const columns = [
  'operation',
  'target',
  'requests/s',
  'ratio',
  'p50 ms',
  'p99 ms',
  'its cores',
  'µs a request',
  "generator's cores",
];

const ratioOf = (rate, base) => (base === undefined ? '' : (rate / base).toFixed(2));

const tableOf = (measurements, connections) => {
  const rows = measurements
    .filter((each) => each.connections === connections)
    .toSorted((one, other) => one.operation.localeCompare(other.operation))
    .map(({ operation, target, requestsPerSecond, p50, p99, targetCores, generatorCores }) => [
      operations[operation].title,
      target,
      Math.round(requestsPerSecond),
      ratioOf(requestsPerSecond, rateOf(measurements, targets[target].base, operation, connections)),
      (p50 / 1000).toFixed(2),
      (p99 / 1000).toFixed(2),
      targetCores.toFixed(2),
      Math.round((targetCores / requestsPerSecond) * 1_000_000),
      generatorCores.toFixed(2),
    ]);
  const lines = [columns, columns.map(() => '--'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [`Connections: ${connections}`, '', ...lines].join('\n');
};

/** Returns the results as Markdown. */
export const report = ({ measurements, seconds, rounds, animals }) => {
  const machine = `${os.availableParallelism()} cores (${os.cpus()[0].model.trim()})`;
  const counts = [...new Set(measurements.map(({ connections }) => connections))];
  return [
    `Node ${process.version}, ${machine}, ${animals} animals, medians of ${rounds} rounds of ${seconds} s. Each ratio
divides by the rate of fastify-duties, on PostgreSQL of fastify-pg. A generator near 1.00 core limits its row.`,
    ...counts.map((count) => tableOf(measurements, count)),
  ].join('\n\n');
};

/** Bars of the plot. */
const series = [
  { target: 'animal-store', title: 'this, SQLite', colour: '#1f5fbf' },
  { target: 'fastify-duties', title: 'Fastify, better-sqlite3', colour: '#d9822b' },
  { target: 'animal-store-pg', title: 'this, PostgreSQL', colour: '#85b3ee' },
  { target: 'fastify-pg-duties', title: 'Fastify, pg', colour: '#f0bc85' },
];

const plotted = ['get', 'page20', 'create'];
const [width, height, left, right, top, bottom] = [760, 340, 56, 12, 52, 34];

/** Returns a round distance between the lines of the grid, with at most six lines. */
const gridStep = (most) =>
  [1, 2, 5, 10, 20, 50].map((step) => step * 1_000).find((step) => most / step <= 6) ?? 100_000;

/** Returns an SVG image of the requests per second over 64 connections. */
export const plot = (measurements) => {
  const rate = (target, operation) => rateOf(measurements, target, operation, 64) ?? 0;
  const highest = Math.max(1, ...series.flatMap(({ target }) => plotted.map((each) => rate(target, each))));
  const step = gridStep(highest);
  const most = Math.ceil(highest / step) * step;
  const y = (value) => height - bottom - (value / most) * (height - top - bottom);
  const groupWidth = (width - left - right) / plotted.length;
  const barWidth = (groupWidth - 24) / series.length;

  const grid = Array.from({ length: most / step + 1 }, (_, index) => index * step).flatMap((value) => [
    `<path d="M${left} ${y(value).toFixed(1)}H${width - right}" stroke="#d0d7de"/>`,
    label(left - 6, y(value) + 4, value.toLocaleString('en'), ' text-anchor="end"'),
  ]);
  const legend = series.flatMap(({ title, colour }, index) => {
    const x = right + (index * (width - 2 * right)) / series.length;
    return [rectangle(x, 26, [10, 10], colour), label(x + 14, 35, title)];
  });
  const bars = plotted.flatMap((operation, group) => {
    const start = left + group * groupWidth + 12;
    return [
      ...series.flatMap(({ target, colour }, index) => {
        const value = rate(target, operation);
        const [x, yOfTop] = [start + index * barWidth, y(value)];
        const text = Math.round(value).toLocaleString('en');
        return [
          rectangle(x + 1.5, yOfTop, [barWidth - 3, height - bottom - yOfTop], colour),
          label(x + barWidth / 2, yOfTop - 4, text, ' text-anchor="middle"'),
        ];
      }),
      label(start + groupWidth / 2 - 12, height - 12, operations[operation].title, ' text-anchor="middle"'),
    ];
  });
  return image([width, height], 'Requests per second over 64 connections', [...legend, ...grid, ...bars]);
};
