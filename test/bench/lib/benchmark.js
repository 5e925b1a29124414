import { setTimeout as delay } from 'node:timers/promises';
import { startLoadGenerator } from './load-generator.js';
import { selfCheck } from './self-check.js';
import { startTargets } from './start-targets.js';
import { median, round } from './statistics.js';

const rotated = (values, by) => [...values.slice(by % values.length), ...values.slice(0, by % values.length)];

const say = (text) => {
  process.stderr.write(`${text}\n`);
};

const summaryOf = (samples) => {
  const of = (name, digits) => round(median(samples.map((sample) => sample[name])), digits);
  return {
    requestsPerSecond: of('requestsPerSecond'),
    p50: of('p50'),
    p99: of('p99'),
    targetProcessor: of('targetProcessor', 2),
    generatorProcessor: of('generatorProcessor', 2),
    rounds: samples.map(({ requestsPerSecond }) => round(requestsPerSecond)),
  };
};

/** Runs the rounds: within one, each operation is measured target by target, in an order that moves on every time. */
const measureRounds = async (running, generator, { operations, connections, rounds, seconds, animals }) => {
  const samples = new Map();
  const names = Object.keys(running);
  let turn = 0;
  for (let number = 1; number <= rounds; number += 1) {
    for (const count of connections) {
      for (const operation of operations) {
        for (const name of rotated(names, (turn += 1))) {
          const job = { operation, connections: count, seconds, animals };
          const sample = await generator.measure(running[name], job);
          const place = JSON.stringify([count, operation, name]);
          samples.set(place, [...(samples.get(place) ?? []), sample]);
        }
        say(`round ${number} of ${rounds}: ${operation}, ${count} connections`);
      }
    }
  }
  return samples;
};

/** Medians of all rounds, one row an operation, a number of connections and a target; and the memory of each target. */
export const benchmark = async (options) => {
  const { running, stop } = await startTargets(options.targets, options);
  const generator = startLoadGenerator();
  try {
    await delay(1_000);
    const atRest = Object.entries(running).map(([name, target]) => [name, round(target.resident())]);
    await selfCheck(running, options.animals);
    say('every target answers alike');
    const samples = await measureRounds(running, generator, options);
    const measurements = [...samples].map(([place, taken]) => {
      const [connections, operation, target] = JSON.parse(place);
      return { target, operation, connections, ...summaryOf(taken) };
    });
    const memory = atRest.map(([target, rest]) => ({
      target,
      rest,
      most: round(running[target].mostResident()),
    }));
    const { seconds, rounds, animals } = options;
    return { seconds, rounds, animals, measurements, memory };
  } finally {
    generator.stop();
    await stop();
  }
};
