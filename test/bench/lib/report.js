import os from 'node:os';
import { operations } from './operations.js';
import { image, label, rectangle, verticalLine } from './svg.js';
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

export const report = ({ measurements, seconds, rounds, animals }) => {
  const machine = `${os.availableParallelism()} cores (${os.cpus()[0].model.trim()})`;
  const counts = [...new Set(measurements.map(({ connections }) => connections))];
  return [
    `Node ${process.version}, ${machine}, ${animals} animals, medians of ${rounds} rounds of ${seconds} s. Each ratio
divides by the rate of fastify-duties, on PostgreSQL of fastify-pg. A generator near 1.00 core limits its row.`,
    ...counts.map((count) => tableOf(measurements, count)),
  ].join('\n\n');
};

/** Bars of the plot. Each shows the rate of `target`, divided by the rate of `base`. */
const series = [
  { target: 'animal-store', base: 'fastify-duties', title: 'SQLite', colour: '#1f6feb', textColour: '#fff' },
  {
    target: 'animal-store-pg',
    base: 'fastify-pg-duties',
    title: 'PostgreSQL',
    colour: '#79b8ff',
    textColour: '#0d1117',
  },
];

const plotted = [
  ['create', 'Create, durable'],
  ['page20', 'List of 20'],
  ['get', 'Get'],
];

const rateText = (rate) => Math.round(rate).toLocaleString('en');

const [width, left, right, top, barHeight, gap] = [760, 240, 190, 56, 24, 18];

/** Returns an SVG image of the requests per second over 64 connections, as multiples of Fastify's. */
export const plot = (measurements) => {
  const rateOf = (target, operation) => find(measurements, target, operation, 64)?.requestsPerSecond ?? 0;
  const groups = plotted.map(([operation, title]) => ({
    title,
    bars: series.map(({ target, base, ...bar }) => ({
      ...bar,
      rate: rateOf(target, operation),
      rateOfBase: rateOf(base, operation),
      ratio: rateOf(target, operation) / (rateOf(base, operation) || Infinity),
    })),
  }));
  const highest = Math.max(1, ...groups.flatMap(({ bars }) => bars.map(({ ratio }) => ratio)));
  const lengthOf = (ratio) => (ratio / highest) * (width - left - right);
  const groupHeight = series.length * barHeight + gap;
  const bottom = top + plotted.length * groupHeight;
  const drawn = groups.flatMap(({ title, bars }, group) => {
    const y = top + group * groupHeight;
    return [
      label(12, y + barHeight + 5, title, ' font-weight="bold"'),
      ...bars.flatMap(({ title: name, colour, textColour, rate, rateOfBase, ratio }, index) => {
        const yOfBar = y + index * barHeight;
        return [
          label(left - 10, yOfBar + 16, name, ' text-anchor="end"'),
          rectangle(left, yOfBar + 1, [lengthOf(ratio), barHeight - 2], colour),
          label(
            left + 10,
            yOfBar + 17,
            `${ratio.toFixed(1)}×`,
            ` font-weight="bold" style="fill: ${textColour}"`,
          ),
          // Puts the number to the right of Fastify's line, which would otherwise cross it.
          label(
            left + lengthOf(Math.max(1, ratio)) + 8,
            yOfBar + 17,
            `${rateText(rate)} / s, Fastify ${rateText(rateOfBase)}`,
            ' class="quiet"',
          ),
        ];
      }),
    ];
  });
  const xOfBase = left + lengthOf(1);
  const base = [
    verticalLine(xOfBase, top - 6, bottom - top),
    label(xOfBase, top - 12, 'Fastify', ' text-anchor="middle"'),
  ];
  const title = 'Requests per second, compared with Fastify that does the same work';
  return image([width, bottom], title, [...drawn, ...base], 14);
};
