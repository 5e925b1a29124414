import os from 'node:os';
import { operations } from './operations.js';
import { gridLine, image, label, rectangle } from './svg.js';
import { targets } from './targets.js';

const find = (measurements, target, operation, connections) =>
  measurements.find(
    (each) => each.target === target && each.operation === operation && each.connections === connections,
  );

/** Returns the server's processor time for each request, in microseconds. */
const processorTime = ({ targetCores, requestsPerSecond }) =>
  Math.round((targetCores / requestsPerSecond) * 1_000_000);

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

const ratioOf = (one, base) =>
  base === undefined ? '' : (one.requestsPerSecond / base.requestsPerSecond).toFixed(2);

const tableOf = (measurements, connections) => {
  const rows = measurements
    .filter((each) => each.connections === connections)
    .toSorted((one, other) => one.operation.localeCompare(other.operation))
    .map((each) => [
      operations[each.operation].title,
      each.target,
      Math.round(each.requestsPerSecond),
      ratioOf(each, find(measurements, targets[each.target].base, each.operation, connections)),
      (each.p50 / 1000).toFixed(2),
      (each.p99 / 1000).toFixed(2),
      each.targetCores.toFixed(2),
      processorTime(each),
      each.generatorCores.toFixed(2),
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
  { target: 'koa', title: 'bare Koa, constants', colour: '#8c959f' },
  { target: 'animal-store', title: 'this, SQLite', colour: '#1f6feb' },
  { target: 'fastify-duties', title: 'Fastify, better-sqlite3', colour: '#d9822b' },
  { target: 'animal-store-pg', title: 'this, PostgreSQL', colour: '#79b8ff' },
  { target: 'fastify-pg-duties', title: 'Fastify, pg', colour: '#f0bc85' },
];

const plotted = ['get', 'page20', 'create'];
const [width, height, left, right, top, bottom] = [760, 360, 56, 12, 52, 54];

/** Returns a round distance between the lines of the grid, with at most six lines. */
const gridStep = (most) =>
  [1, 2, 5, 10, 20, 50].map((step) => step * 1_000).find((step) => most / step <= 6) ?? 100_000;

/**
 * Returns an SVG image of the requests per second over 64 connections, with the processor time of a request under each
 * bar.
 */
export const plot = (measurements) => {
  const groups = plotted.map((operation) => ({
    title: operations[operation].title,
    bars: series.flatMap(({ target, colour }) => {
      const measurement = find(measurements, target, operation, 64);
      return measurement === undefined ? [] : [{ colour, ...measurement }];
    }),
  }));
  const highest = Math.max(
    1,
    ...groups.flatMap(({ bars }) => bars.map(({ requestsPerSecond }) => requestsPerSecond)),
  );
  const step = gridStep(highest);
  const most = Math.ceil(highest / step) * step;
  const y = (value) => height - bottom - (value / most) * (height - top - bottom);
  const groupWidth = (width - left - right) / plotted.length;
  const barWidth = (groupWidth - 20) / series.length;
  const middle = ' text-anchor="middle"';
  const small = `${middle} font-size="11"`;

  const grid = Array.from({ length: most / step + 1 }, (_, index) => index * step).flatMap((value) => [
    gridLine(left, y(value), width - left - right),
    label(left - 6, y(value) + 4, value.toLocaleString('en'), ' text-anchor="end"'),
  ]);
  let x = right;
  const legend = series.flatMap(({ title, colour }) => {
    const entry = [rectangle(x, 26, [10, 10], colour), label(x + 14, 35, title)];
    x += 36 + 6.7 * title.length;
    return entry;
  });
  const drawn = groups.flatMap(({ title, bars }, group) => {
    const centre = left + (group + 0.5) * groupWidth;
    return [
      ...bars.flatMap(({ colour, ...measurement }, index) => {
        const x = centre + (index - bars.length / 2) * barWidth;
        const yOfTop = y(measurement.requestsPerSecond);
        const rate = Math.round(measurement.requestsPerSecond).toLocaleString('en');
        return [
          rectangle(x + 1.5, yOfTop, [barWidth - 3, height - bottom - yOfTop], colour),
          label(x + barWidth / 2, yOfTop - 4, rate, small),
          label(x + barWidth / 2, height - bottom + 14, `${processorTime(measurement)} µs`, small),
        ];
      }),
      label(centre, height - 14, title, `${middle} font-weight="bold"`),
    ];
  });
  const title =
    'Requests per second over 64 connections (higher is better); below the bars, processor time of a request';
  return image([width, height], title, [...legend, ...grid, ...drawn]);
};
