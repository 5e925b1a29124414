import { median, round } from '../statistics.js';

const rotated = (values, by) => [...values.slice(by % values.length), ...values.slice(0, by % values.length)];

/** Tells a person how far it is. */
export const say = (text) => {
  process.stderr.write(`${text}\n`);
};

const summaryOf = (samples) => {
  const of = (name, digits) => round(median(samples.map((sample) => sample[name])), digits);
  return {
    requestsPerSecond: of('requestsPerSecond'),
    ...(samples.some(({ refused }) => refused !== undefined)
      ? { refused: samples.reduce((sum, { refused }) => sum + refused, 0) }
      : {}),
    p50: of('p50'),
    p99: of('p99'),
    targetProcessor: of('targetProcessor', 2),
    generatorProcessor: of('generatorProcessor', 2),
    rounds: samples.map(({ requestsPerSecond }) => round(requestsPerSecond)),
  };
};

/** Has every target's code compiled before the clock runs: what answers slowly would be measured cold otherwise. */
const warmUp = async (running, generator, { operations, seconds, animalsOf, after }) => {
  for (const [name, target] of Object.entries(running)) {
    for (const operation of operations) {
      await generator.measure(target, { operation, connections: 64, seconds, animals: animalsOf(name) });
      await after(name, operation);
    }
  }
  say('every target is warm');
};

/**
 * Medians over the rounds, one row an operation, a number of connections and a target. Within a round each operation
 * is measured target by target, in an order that moves on every time.
 */
export const measureRounds = async (
  running,
  generator,
  { operations, connections, rounds, seconds, animalsOf, after = async () => undefined },
) => {
  await warmUp(running, generator, { operations, seconds: 1, animalsOf, after });
  const samples = new Map();
  const names = Object.keys(running);
  let turn = 0;
  for (let number = 1; number <= rounds; number += 1) {
    for (const count of connections) {
      for (const operation of operations) {
        turn += 1;
        for (const name of rotated(names, turn)) {
          const job = { operation, connections: count, seconds, animals: animalsOf(name) };
          const sample = await generator.measure(running[name], job);
          const place = JSON.stringify([count, operation, name]);
          samples.set(place, [...(samples.get(place) ?? []), sample]);
          await after(name, operation);
        }
        say(`round ${number} of ${rounds}: ${operation}, ${count} connections`);
      }
    }
  }
  return [...samples].map(([place, taken]) => {
    const [count, operation, target] = JSON.parse(place);
    return { target, operation, connections: count, ...summaryOf(taken) };
  });
};
