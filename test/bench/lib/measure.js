import { fork } from 'node:child_process';
import { on } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { processorSeconds, startTargets } from './run-targets.js';
import { selfCheck } from './self-check.js';

/** The middle value; of an even count the lower of the two in the middle. */
export const median = (values) =>
  values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) / 2)];

/** Rounded to `digits` decimal places. */
export const round = (value, digits = 0) => Number(value.toFixed(digits));

/**
 * A process of its own beside this one: `send` gives it a job, `nextEvent` waits for what it says next. Its file is in `lib`.
 */
export const startWorker = (file) => {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)));
  const ended = new AbortController();
  child.once('exit', () => ended.abort(new Error(`${file} ended`)));
  const messages = on(child, 'message', { signal: ended.signal });
  return {
    send: (job) => {
      child.send(job);
    },
    nextEvent: async (expected) => {
      const { value } = await messages.next();
      const [{ event, result }] = value;
      if (event !== expected) throw new Error(`${event} came instead of ${expected}`);
      return result;
    },
    stop: () => {
      child.disconnect();
    },
  };
};

/** A process of its own that makes the load. */
export const startLoadGenerator = (file = 'load-worker.js') => {
  const worker = startWorker(file);
  return {
    /** Requests a second, p50 and p99 in microseconds, and the share of a core that generator and target took. */
    measure: async (target, job) => {
      worker.send({ ...job, address: target.address, key: target.key });
      await worker.nextEvent('measuring');
      const began = performance.now();
      const before = processorSeconds(target.pid);
      await worker.nextEvent('measured');
      const targetProcessor = ((processorSeconds(target.pid) - before) * 1000) / (performance.now() - began);
      const resident = target.resident();
      const result = await worker.nextEvent('result');
      target.emptyLog();
      if (result.faults > 0) throw new Error(`${result.faults} failures in ${JSON.stringify(job)}`);
      return { ...result, targetProcessor, resident };
    },
    stop: worker.stop,
  };
};

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

/** Checks that all targets answer alike, then measures their speed and their memory. */
export const benchmark = async (options) => {
  const { running, stop } = await startTargets(options.targets, options);
  const generator = startLoadGenerator();
  try {
    await delay(1_000);
    const atRest = Object.entries(running).map(([name, target]) => [name, round(target.resident())]);
    await selfCheck(running, options.animals);
    say('every target answers alike');
    const { seconds, rounds, animals } = options;
    const measurements = await measureRounds(running, generator, { ...options, animalsOf: () => animals });
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
