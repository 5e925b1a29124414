import { fork } from 'node:child_process';
import { on } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { processorSeconds, startTargets } from './run-targets.js';
import { selfCheck } from './self-check.js';

/** Returns the median; of an even count, the lower of the two values in the middle. */
const median = (values) => values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) / 2)];

const round = (value, digits = 0) => Number(value.toFixed(digits));

/** Starts the process that makes the load. */
const startLoadGenerator = () => {
  const child = fork(fileURLToPath(new URL('load-worker.js', import.meta.url)));
  const ended = new AbortController();
  child.once('exit', () => ended.abort(new Error('the load generator ended')));
  const messages = on(child, 'message', { signal: ended.signal });
  const nextEvent = async (expected) => {
    const { value } = await messages.next();
    const [{ event, result }] = value;
    if (event !== expected) throw new Error(`${event} came instead of ${expected}`);
    return result;
  };
  return {
    /** Returns requests per second, p50 and p99 in microseconds, and the cores that the generator and the target used. */
    measure: async (target, job) => {
      child.send({ ...job, address: target.address, key: target.key });
      await nextEvent('measuring');
      const began = performance.now();
      const before = processorSeconds(target.pid);
      await nextEvent('measured');
      const targetProcessor = ((processorSeconds(target.pid) - before) * 1000) / (performance.now() - began);
      const result = await nextEvent('result');
      target.emptyLog();
      if (result.faults > 0) throw new Error(`${result.faults} failures in ${JSON.stringify(job)}`);
      return { ...result, targetProcessor };
    },
    stop: () => {
      child.disconnect();
    },
  };
};

const rotated = (values, by) => [...values.slice(by % values.length), ...values.slice(0, by % values.length)];

/** Prints the progress. */
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

/** Runs each operation of each target for a second, so that its code is compiled before it is measured. */
const warmUp = async (running, generator, { operations, animals }) => {
  for (const target of Object.values(running)) {
    for (const operation of operations) {
      await generator.measure(target, { operation, connections: 64, seconds: 1, animals });
    }
  }
  say('every target is warm');
};

/**
 * Returns the medians over the rounds, one row for an operation, a number of connections and a target. Within a round,
 * each operation is measured target by target, in an order that rotates.
 */
const measureRounds = async (running, generator, { operations, connections, rounds, seconds, animals }) => {
  await warmUp(running, generator, { operations, animals });
  const samples = new Map();
  const names = Object.keys(running);
  let turn = 0;
  for (let number = 1; number <= rounds; number += 1) {
    for (const count of connections) {
      for (const operation of operations) {
        turn += 1;
        for (const name of rotated(names, turn)) {
          const job = { operation, connections: count, seconds, animals };
          const sample = await generator.measure(running[name], job);
          const place = JSON.stringify([count, operation, name]);
          samples.set(place, [...(samples.get(place) ?? []), sample]);
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

/** Checks that all targets give the same answers, then measures their speed and memory. */
export const benchmark = async (options) => {
  const { running, stop } = await startTargets(options.targets, options);
  const generator = startLoadGenerator();
  try {
    await delay(1_000);
    const atRest = Object.entries(running).map(([name, target]) => [name, round(target.resident())]);
    await selfCheck(running, options.animals);
    say('all targets give the same answers');
    const { seconds, rounds, animals } = options;
    const measurements = await measureRounds(running, generator, options);
    const memory = atRest.map(([target, rest]) => ({
      target,
      rest,
      most: round(running[target].mostResident()),
    }));
    return { seconds, rounds, animals, measurements, memory };
  } finally {
    generator.stop();
    await stop();
  }
};
