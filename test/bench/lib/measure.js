import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { targets, withTargets } from './targets.js';

/** Returns the median; of an even count, the lower of the two values in the middle. */
const median = (values) => values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) / 2)];

const rotated = (values, by) => [...values.slice(by % values.length), ...values.slice(0, by % values.length)];

const printProgress = (text) => process.stderr.write(`${text}\n`);

const mediansOf = (samples) => ({
  ...Object.fromEntries(
    Object.keys(samples[0]).map((name) => [name, median(samples.map((sample) => sample[name]))]),
  ),
  rounds: samples.map(({ requestsPerSecond }) => Math.round(requestsPerSecond)),
});

export const startLoadGenerator = () => {
  const generator = fork(fileURLToPath(new URL('load-worker.js', import.meta.url)));
  const ended = new AbortController();
  generator.once('exit', () => {
    ended.abort(new Error('the load generator ended'));
  });
  return {
    measure: async (job) => {
      generator.send(job);
      const [result] = await once(generator, 'message', { signal: ended.signal });
      if (result.faults > 0) throw new Error(`${result.faults} failures in ${JSON.stringify(job)}`);
      return result;
    },
    stop: () => {
      generator.disconnect();
    },
  };
};

const answers = (name, operation) => targets[name].only?.includes(operation) ?? true;

/** Measures each operation target by target, in an order that rotates. Returns the medians over the rounds. */
const measureRounds = async (running, measure, { operationNames, connections, rounds, seconds, animals }) => {
  const names = Object.keys(running);
  // Runs each operation before the measurements, so that its code is compiled by then.
  for (const name of names) {
    for (const operation of operationNames.filter((each) => answers(name, each))) {
      await measure({ ...running[name], operation, animals, connections: 64, seconds: 1 });
    }
  }
  const samples = new Map();
  let turn = 0;
  for (let round = 1; round <= rounds; round += 1) {
    for (const count of connections) {
      for (const operation of operationNames) {
        turn += 1;
        for (const name of rotated(names, turn).filter((each) => answers(each, operation))) {
          const sample = await measure({ ...running[name], operation, animals, connections: count, seconds });
          const row = JSON.stringify({ target: name, operation, connections: count });
          samples.set(row, [...(samples.get(row) ?? []), sample]);
        }
        printProgress(`round ${round} of ${rounds}: ${operation}, ${count} connections`);
      }
    }
  }
  return [...samples].map(([row, taken]) => ({ ...JSON.parse(row), ...mediansOf(taken) }));
};

/** Measures operations of started targets. `afterwards` gets the targets, and returns further results. */
export const measureTargets = ({ targetNames, afterwards = () => ({}), ...options }) =>
  withTargets(targetNames, options.animals, async (running) => {
    const { measure, stop } = startLoadGenerator();
    try {
      const measurements = await measureRounds(running, measure, options);
      return { ...options, measurements, ...(await afterwards(running)) };
    } finally {
      stop();
    }
  });
