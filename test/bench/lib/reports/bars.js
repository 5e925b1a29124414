import { baselineOf, targets } from '../../targets.js';

const sqliteBars = {
  64: { get: 1, page20: 2.5, page100: 4.5, status: 2.5, create: 4 },
  1: { get: 0.4, page20: 0.4, page100: 0.4, status: 0.4, create: 0.6 },
};

/** A lone client leaves nothing to batch: its ratios are shown, and not judged. */
const postgresBars = { 64: { get: 1, page20: 1, page100: 1, status: 1, deep: 1, create: 3 } };

/** In resident megabytes. */
export const memoryBars = { rest: 120, most: 200 };

const barOf = (target, operation, connections) =>
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
