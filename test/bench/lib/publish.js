import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { baselineOf } from '../targets.js';
import { operationNames } from './operations.js';
import { barOf, table } from './report.js';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const resultsFolder = fileURLToPath(new URL('../results/', import.meta.url));

/** The bars of the plot and the columns of README's table, with a colour on white and one on black. */
const series = [
  { target: 'animal-store', title: 'this, SQLite', light: '#1f5fbf', dark: '#5b9bf5' },
  { target: 'fastify-duties', title: 'Fastify, better-sqlite3', light: '#d9822b', dark: '#e8a04e' },
  { target: 'express', title: 'Express, Knex, sqlite3', light: '#8a8f98', dark: '#7d838d' },
  { target: 'animal-store-pg', title: 'this, PostgreSQL', light: '#85b3ee', dark: '#a9ccff' },
  { target: 'fastify-pg-duties', title: 'Fastify, pg', light: '#f0bc85', dark: '#f6d0a4' },
];

const operations = { get: 'get', page20: 'first page of 20', create: 'create, durable' };

/** Columns of the table in test/bench/README.md. */
const ratios = [
  { title: 'SQLite, 64 connections', target: 'animal-store', connections: 64 },
  { title: 'SQLite, 1', target: 'animal-store', connections: 1 },
  { title: 'PostgreSQL, 64', target: 'animal-store-pg', connections: 64 },
];

const size = { width: 760, height: 340, left: 56, right: 12, top: 52, bottom: 34 };

const colours = {
  light: { text: '#24292f', grid: '#d0d7de' },
  dark: { text: '#e6edf3', grid: '#3d444d' },
};

const rateIn =
  ({ measurements }) =>
  (target, operation, connections = 64) =>
    measurements.find(
      (each) => each.target === target && each.operation === operation && each.connections === connections,
    )?.requestsPerSecond;

const thousands = (number) => number.toLocaleString('en');

/** A round number of requests per second between two lines of the grid: at most six lines. */
const gridStep = (most) =>
  [1, 2, 5, 10, 20, 50].map((step) => step * 1_000).find((step) => most / step <= 6) ?? 100_000;

/** The requests per second over 64 connections as grouped bars, an SVG for a `light` or a `dark` page. */
export const plot = (results, scheme) => {
  const rate = rateIn(results);
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

const speedTable = (results) =>
  table(
    ['', ...series.map(({ title }) => title)],
    Object.entries(operations).map(([operation, name]) => [
      name,
      ...series.map(({ target }) => thousands(rateIn(results)(target, operation))),
    ]),
  );

const ratioTable = (results) => {
  const rate = rateIn(results);
  const cells = ({ target, connections }, operation) => {
    const ratio = rate(target, operation, connections) / rate(baselineOf(target), operation, connections);
    const bar = barOf(target, operation, connections);
    const isMissed = bar !== undefined && ratio < bar;
    return [isMissed ? `**${ratio.toFixed(2)}**` : ratio.toFixed(2), bar ?? ''];
  };
  return table(
    ['', ...ratios.flatMap(({ title }) => [title, 'aim'])],
    Object.keys(operations).map((operation) => [
      operationNames[operation],
      ...ratios.flatMap((column) => cells(column, operation)),
    ]),
  );
};

/** True if a run has every figure that the documents show. */
const isWhole = (results) => {
  const rate = rateIn(results);
  return Object.keys(operations).every(
    (operation) =>
      series.every(({ target }) => rate(target, operation) !== undefined) &&
      ratios.every(({ target, connections }) =>
        [target, baselineOf(target)].every((each) => rate(each, operation, connections) !== undefined),
      ),
  );
};

/** Replaces each pattern once. Throws if a document has no such place. */
const edit = async (file, replacements) => {
  let text = await readFile(repository + file, 'utf8');
  for (const [pattern, replacement] of replacements) {
    if (!pattern.test(text)) throw new Error(`${file} has no place for ${pattern}`);
    text = text.replace(pattern, () => replacement);
  }
  await writeFile(repository + file, text);
};

const tableWith = (title) => new RegExp(`^\\|[^\n]*\\| +${title}[^\n]*\\n(?:\\|[^\n]*\\n)+`, 'm');

/**
 * Writes results.json and the plots to `test/bench/results`. A whole run that is not quick also writes the plots to `docs`
 * and the tables and dates of README.md and test/bench/README.md. Returns the files of the project that it changed.
 */
export const publish = async (results, { quick, now = new Date() }) => {
  const plots = ['light', 'dark'].map((scheme) => [`bench-${scheme}.svg`, plot(results, scheme)]);
  await mkdir(resultsFolder, { recursive: true });
  await writeFile(`${resultsFolder}results.json`, `${JSON.stringify(results, undefined, 2)}\n`);
  for (const [name, text] of plots) await writeFile(resultsFolder + name, text);
  if (quick || !isWhole(results)) return [];

  for (const [name, text] of plots) await writeFile(`${repository}docs/${name}`, text);
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' }).format(now);
  await edit('README.md', [
    [tableWith('this, SQLite'), `${speedTable(results)}\n`],
    [/\(\d{1,2} [A-Z][a-z]+ \d{4}\)/, `(${day})`],
  ]);
  await edit('test/bench/README.md', [
    [tableWith('SQLite, 64 connections'), `${ratioTable(results)}\n`],
    [
      /medians of\s\S+ rounds? of [\d.]+ s on \d{4}-\d\d-\d\d/,
      `medians of ${results.rounds} ${results.rounds === 1 ? 'round' : 'rounds'} of ${results.seconds} s on ${now.toISOString().slice(0, 10)}`,
    ],
  ]);
  return ['README.md', 'test/bench/README.md', ...plots.map(([name]) => `docs/${name}`)];
};
