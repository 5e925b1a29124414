import { setTimeout as delay } from 'node:timers/promises';
import { crowdReport } from './lib/crowd-report.js';
import { measureRounds, round, say, startLoadGenerator, startWorker } from './lib/measure.js';
import { readOptions } from './lib/options.js';
import { describeMachine } from './lib/report.js';
import { startTargets } from './lib/run-targets.js';

/** How often the memory of the target is looked at, in milliseconds. */
const lookInterval = 20;

/** Has clients ask a target at one instant; answers with their answers by status, seconds, and resident megabytes. */
export const measureAtOnce = async (target, { restSeconds, ...job }) => {
  const worker = startWorker('crowd-worker.js');
  worker.send({ ...job, isAtOnce: true, address: target.address, key: target.key });
  await worker.nextEvent('connected');
  const connected = target.resident();
  let most = connected;
  const timer = setInterval(() => {
    most = Math.max(most, target.resident());
  }, lookInterval);
  const { seconds, statuses } = await worker.nextEvent('result');
  clearInterval(timer);
  worker.stop();
  await delay(restSeconds * 1000);
  return {
    connected: round(connected),
    most: round(most),
    after: round(target.resident()),
    seconds: round(seconds, 2),
    statuses,
  };
};

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
const generator = startLoadGenerator('crowd-worker.js');
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
