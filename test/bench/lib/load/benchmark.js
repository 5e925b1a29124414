import { setTimeout as delay } from 'node:timers/promises';
import { startLoadGenerator } from './load-generator.js';
import { measureRounds, say } from './measure-rounds.js';
import { selfCheck } from './self-check.js';
import { startTargets } from '../processes/start-targets.js';
import { round } from '../statistics.js';

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
