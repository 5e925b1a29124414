import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { processorSeconds } from './target-process.js';

const worker = fileURLToPath(new URL('load-worker.js', import.meta.url));

/** A process of its own that makes the load. */
export const startLoadGenerator = () => {
  const child = fork(worker);
  const died = once(child, 'exit').then(() => {
    throw new Error('the load generator died');
  });
  died.catch(() => undefined);

  const nextEvent = async (expected) => {
    const [message] = await Promise.race([once(child, 'message'), died]);
    if (message.event !== expected) throw new Error(`${message.event} came instead of ${expected}`);
    return message.result;
  };

  return {
    /** Requests a second, p50 and p99 in microseconds, and the share of a core that generator and target took. */
    measure: async (target, job) => {
      child.send({ ...job, address: target.address, key: target.key });
      await nextEvent('measuring');
      const began = performance.now();
      const before = processorSeconds(target.pid);
      await nextEvent('measured');
      const targetProcessor = ((processorSeconds(target.pid) - before) * 1000) / (performance.now() - began);
      const resident = target.resident();
      const result = await nextEvent('result');
      target.emptyLog();
      if (result.faults > 0) throw new Error(`${result.faults} failures in ${JSON.stringify(job)}`);
      return { ...result, targetProcessor, resident };
    },
    stop: () => {
      child.disconnect();
    },
  };
};
