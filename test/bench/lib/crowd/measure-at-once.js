import { setTimeout as delay } from 'node:timers/promises';
import { round } from '../statistics.js';
import { startWorker } from '../processes/worker-process.js';

/** How often the memory of the target is looked at, in milliseconds. */
const lookInterval = 20;

/** Has clients ask a target at one instant; answers with their answers by status, seconds, and resident megabytes. */
export const measureAtOnce = async (target, { restSeconds, ...job }) => {
  const worker = startWorker('crowd/at-once-worker.js');
  worker.send({ ...job, address: target.address, key: target.key });
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
