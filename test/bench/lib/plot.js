import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const resultsFolder = fileURLToPath(new URL('../results/', import.meta.url));

/** Bars of the plot, each with its colours on a light and on a dark page. */
const series = [
  { target: 'animal-store', title: 'this, SQLite', light: '#1f5fbf', dark: '#5b9bf5' },
  { target: 'fastify-duties', title: 'Fastify, better-sqlite3', light: '#d9822b', dark: '#e8a04e' },
  { target: 'express', title: 'Express, Knex, sqlite3', light: '#8a8f98', dark: '#7d838d' },
  { target: 'animal-store-pg', title: 'this, PostgreSQL', light: '#85b3ee', dark: '#a9ccff' },
  { target: 'fastify-pg-duties', title: 'Fastify, pg', light: '#f0bc85', dark: '#f6d0a4' },
];

const operations = { get: 'get', page20: 'first page of 20', create: 'create, durable' };

const size = { width: 760, height: 340, left: 56, right: 12, top: 52, bottom: 34 };

const colours = {
  light: { text: '#24292f', grid: '#d0d7de' },
  dark: { text: '#e6edf3', grid: '#3d444d' },
};

const thousands = (number) => number.toLocaleString('en');

/** Returns a round distance between the lines of the grid, with at most six lines. */
const gridStep = (most) =>
  [1, 2, 5, 10, 20, 50].map((step) => step * 1_000).find((step) => most / step <= 6) ?? 100_000;

const plot = (results, scheme) => {
  const rate = (target, operation) =>
    results.measurements.find(
      (each) => each.target === target && each.operation === operation && each.connections === 64,
    )?.requestsPerSecond;
  const shown = series.filter(({ target }) => Object.keys(operations).some((each) => rate(target, each)));
  const { width, height, left, right, top, bottom } = size;
  const { text, grid } = colours[scheme];
  const rates = shown.flatMap(({ target }) => Object.keys(operations).map((each) => rate(target, each) ?? 0));
  const step = gridStep(Math.max(1, ...rates));
  const most = Math.ceil(Math.max(1, ...rates) / step) * step;
  const y = (value) => height - bottom - (value / most) * (height - top - bottom);
  const groupWidth = (width - left - right) / Object.keys(operations).length;
  const barWidth = (groupWidth - 24) / Math.max(1, shown.length);
  const label = (x, at, words, more = '') =>
    `<text x="${x.toFixed(1)}" y="${at.toFixed(1)}"${more}>${words}</text>`;

  const lines = Array.from({ length: most / step + 1 }, (_, index) => index * step).flatMap((value) => [
    `<path d="M${left} ${y(value).toFixed(1)}H${width - right}" stroke="${grid}"/>`,
    label(left - 6, y(value) + 4, thousands(value), ' text-anchor="end"'),
  ]);
  const legend = shown.flatMap((each, index) => {
    const x = right + index * ((width - 2 * right) / shown.length);
    return [
      `<rect x="${x.toFixed(1)}" y="26" width="10" height="10" fill="${each[scheme]}"/>`,
      label(x + 14, 35, each.title, ' font-size="11"'),
    ];
  });
  const bars = Object.entries(operations).flatMap(([operation, name], group) => {
    const start = left + group * groupWidth + 12;
    return [
      ...shown.flatMap((each, index) => {
        const value = rate(each.target, operation) ?? 0;
        const x = start + index * barWidth;
        const middle = x + barWidth / 2;
        return [
          `<rect x="${(x + 1.5).toFixed(1)}" y="${y(value).toFixed(1)}" width="${(barWidth - 3).toFixed(1)}" height="${(height - bottom - y(value)).toFixed(1)}" fill="${each[scheme]}"/>`,
          label(middle, y(value) - 4, thousands(value), ' text-anchor="middle" font-size="10"'),
        ];
      }),
      label(start + (groupWidth - 24) / 2, height - 12, name, ' text-anchor="middle"'),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12" fill="${text}">`,
    label(right, 15, 'Requests per second over 64 connections', ' font-weight="bold"'),
    ...legend,
    ...lines,
    ...bars,
    '</svg>',
    '',
  ].join('\n');
};

/**
 * Writes results.json, and the requests per second over 64 connections as two SVG plots, to `test/bench/results`.
 */
export const writeResults = async (results) => {
  await mkdir(resultsFolder, { recursive: true });
  await writeFile(`${resultsFolder}results.json`, `${JSON.stringify(results, undefined, 2)}\n`);
  for (const scheme of ['light', 'dark'])
    await writeFile(`${resultsFolder}bench-${scheme}.svg`, plot(results, scheme));
};
