import { median } from './measure.js';
import { memoryBars, table, verdict } from './report.js';

const service = 'animal-store';

const bars = {
  /** Of the same target's own answers a second with the smallest crowd. */
  share: 0.9,
  /** Times the time in which all of a crowd are answered once. */
  p99: 2,
  /** In seconds. */
  atOnce: 3,
  /** In resident megabytes. */
  most: 512,
};

const counted = (number) => number.toLocaleString('en');
const milliseconds = (microseconds) => (microseconds / 1000).toFixed(1);

/** In microseconds: how long it takes to answer each of a crowd once. */
const turn = ({ connections, requestsPerSecond }) => (connections / requestsPerSecond) * 1e6;

/** Within each round, whose measurements are minutes apart at most: a shared machine is not as fast all the time. */
const shareOf = (measurement, measurements) => {
  const own = measurements.filter(({ target }) => target === measurement.target);
  const [smallest] = own.toSorted((one, other) => one.connections - other.connections);
  return median(measurement.rounds.map((answers, round) => answers / smallest.rounds[round]));
};

const waitingTable = (measurements) =>
  table(
    [
      'connections',
      'target',
      'answers/s',
      'of its first',
      'refused',
      'p50 ms',
      'p99 ms',
      'p99 / turn',
      'its cores',
      "generator's cores",
    ],
    measurements.map((measurement) => [
      measurement.connections,
      measurement.target,
      measurement.requestsPerSecond,
      shareOf(measurement, measurements).toFixed(2),
      measurement.refused,
      milliseconds(measurement.p50),
      milliseconds(measurement.p99),
      (measurement.p99 / turn(measurement)).toFixed(2),
      measurement.targetProcessor.toFixed(2),
      measurement.generatorProcessor.toFixed(2),
    ]),
  );

const answersText = (statuses) =>
  Object.entries(statuses)
    .map(([status, count]) => `${count} x ${status}`)
    .join(', ');

const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);

const answeredWith = (status, measurements) => sum(measurements.map(({ statuses }) => statuses[status] ?? 0));

const creatorRows = ({ clients, requestsEach, measurements }) =>
  [...new Set(measurements.map(({ target }) => target))].map((name) => {
    const own = measurements.filter(({ target }) => target === name);
    const sent = clients * requestsEach * own.length;
    const created = answeredWith(201, own);
    return [
      name,
      sent,
      created,
      `${((100 * (sent - created)) / sent).toFixed(0)} %`,
      Math.max(...own.map(({ seconds }) => seconds)).toFixed(2),
    ];
  });

const readerRows = ({ measurements }) =>
  measurements
    .toSorted((one, other) => one.target.localeCompare(other.target))
    .map(({ target, connected, most, after, seconds, statuses }) => [
      target,
      connected,
      most,
      after,
      seconds.toFixed(2),
      answersText(statuses),
    ]);

const waitingBars = (measurements) =>
  measurements
    .filter(({ target }) => target === service)
    .flatMap((measurement) => {
      const { connections, refused, p99 } = measurement;
      const share = shareOf(measurement, measurements);
      const turns = p99 / turn(measurement);
      const who = `${counted(connections)} connections`;
      return [
        [`${who}: refused`, refused, '0', verdict(refused === 0)],
        [
          `${who}: answers/s, of its first`,
          share.toFixed(2),
          `>= ${bars.share}`,
          verdict(share >= bars.share),
        ],
        [`${who}: p99 / turn`, turns.toFixed(2), `<= ${bars.p99}`, verdict(turns <= bars.p99)],
      ];
    });

const atOnceBars = ({ creators, readers }) => {
  const ofService = (measurements) => measurements.filter(({ target }) => target === service);
  const created = ofService(creators.measurements);
  const read = ofService(readers.measurements);
  if (created.length === 0) return [];
  const refusedCreates =
    created.length * creators.clients * creators.requestsEach - answeredWith(201, created);
  const refusedReads = read.length * readers.clients - answeredWith(200, read);
  const slowest = Math.max(...read.map(({ seconds }) => seconds));
  const most = Math.max(...read.map((each) => each.most));
  const after = read.at(-1).after;
  const who = `${counted(readers.clients)} clients at once`;
  return [
    [`${creators.clients} clients that create: refused`, refusedCreates, '0', verdict(refusedCreates === 0)],
    [`${who}: refused`, refusedReads, '0', verdict(refusedReads === 0)],
    [`${who}: all answered within`, `${slowest} s`, `<= ${bars.atOnce} s`, verdict(slowest <= bars.atOnce)],
    [`${who}: most resident`, `${most} MB`, `<= ${bars.most} MB`, verdict(most <= bars.most)],
    [
      `${who}: resident after the last`,
      `${after} MB`,
      `<= ${memoryBars.most} MB`,
      verdict(after <= memoryBars.most),
    ],
  ];
};

/** How a crowd that waits for its answers is served, as Markdown. */
export const crowdReport = (results) => {
  const { seconds, rounds, animals, measurements, creators, readers } = results;
  return [
    `Every target runs with the settings it is shipped with, on ${counted(animals)} animals. Each connection asks for a first page of 20, and again as soon as it is answered: medians of ${rounds} rounds of ${seconds} s, and all who were refused (503, or a connection that was ended). A turn is the time in which each of the crowd is answered once. Server and generator share the machine's cores.`,
    waitingTable(measurements),
    `${counted(creators.clients)} clients that each create ${creators.requestsEach} animals, one after another, and try none again, ${rounds} times over:`,
    table(['target', 'sent', 'created', 'refused', 'slowest round, s'], creatorRows(creators)),
    `A page of 100 asked for by ${counted(readers.clients)} clients at one instant, ${rounds} times over (resident MB):`,
    table(['target', 'all connected', 'most', 'after a rest', 'seconds', 'answers'], readerRows(readers)),
    table(['bar', 'measured', 'asked', ''], [...waitingBars(measurements), ...atOnceBars(results)]),
  ].join('\n\n');
};
