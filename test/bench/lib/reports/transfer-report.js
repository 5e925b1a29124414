import { table } from './table.js';
import { verdict } from './verdict.js';

const million = 1_000_000;
const bar = 60;

/** Growth of the memory from the middle count to the largest that still counts as constant. */
const constant = 1.15;

const judged = ({ measurements }) => {
  const asked = measurements.find(({ count }) => count === million);
  const [middle, largest] = measurements.slice(-2);
  const growth = (command) => largest[command].most / middle[command].most;
  return [
    ...(asked === undefined
      ? []
      : [
          [
            'a million animals imported',
            `${asked.imported.seconds} s`,
            `< ${bar} s`,
            verdict(asked.imported.seconds < bar),
          ],
        ]),
    ...['imported', 'exported'].map((command) => [
      `memory, ${largest.count.toLocaleString('en')} animals ${command} to ${middle.count.toLocaleString('en')}`,
      `${growth(command).toFixed(2)} times`,
      `<= ${constant} times`,
      verdict(growth(command) <= constant),
    ]),
  ];
};

/** How long files of animals take in and out, and in what memory, as Markdown. */
export const transferReport = (results) =>
  [
    'NDJSON into an empty SQLite file, all or nothing, and out of it:',
    table(
      [
        'animals',
        'file, MB',
        'import, s',
        'animals/s',
        'most resident, MB',
        'export, s',
        'most resident, MB',
      ],
      results.measurements.map(({ count, megabytes, imported, exported }) => [
        count.toLocaleString('en'),
        megabytes,
        imported.seconds,
        Math.round(count / imported.seconds).toLocaleString('en'),
        imported.most,
        exported.seconds,
        exported.most,
      ]),
    ),
    table(['bar', 'measured', 'asked', ''], judged(results)),
  ].join('\n\n');
