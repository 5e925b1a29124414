import { setTimeout as delay } from 'node:timers/promises';
import { crowdReport } from './lib/crowd/crowd-report.js';
import { measureAtOnce } from './lib/crowd/measure-at-once.js';
import { startLoadGenerator } from './lib/load/load-generator.js';
import { measureRounds, say } from './lib/load/measure-rounds.js';
import { readOptions } from './lib/options.js';
import { describeMachine } from './lib/reports/machine.js';
import { startTargets } from './lib/processes/start-targets.js';

const options = readOptions({
  targetNames: ['animal-store', 'fastify-duties', 'express'],
  operationNames: ['page20'],
  connections: '64,200,512,1000,2000',
  seconds: 4,
});
const { quick, seconds, rounds, animals } = options;
// V8 collects half a minute after the last work what that left behind.
const restSeconds = quick ? 1 : 45;
const creators = { clients: 500, operation: 'create', requestsEach: 3 };
const readers = { clients: quick ? 1_000 : 10_000, operation: 'page100', requestsEach: 1 };

/** The same crowd `rounds` times, the targets in turns. */
const measureCrowd = async (running, job, rest) => {
  const measurements = [];
  for (let number = 1; number <= rounds; number += 1) {
    for (const [target, process] of Object.entries(running)) {
      const measured = await measureAtOnce(process, { ...job, animals, restSeconds: rest });
      measurements.push({ target, ...measured });
      process.emptyLog();
    }
    say(`round ${number} of ${rounds}: ${job.clients} clients at once, ${job.operation}`);
  }
  return { ...job, measurements };
};

const { running, stop } = await startTargets(options.targets, options);
const generator = startLoadGenerator('crowd/closed-loop-worker.js');
const results = { seconds, rounds, animals };
try {
  await delay(1_000);
  results.measurements = await measureRounds(running, generator, { ...options, animalsOf: () => animals });
  results.creators = await measureCrowd(running, creators, 0);
  results.readers = await measureCrowd(running, readers, restSeconds);
} finally {
  generator.stop();
  await stop();
}
process.stdout.write(`${await describeMachine()}\n\n${crowdReport(results)}\n`);
