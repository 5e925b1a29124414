import { processorSeconds } from '../processes/target-process.js';
import { startWorker } from '../processes/worker-process.js';

/** A process of its own that makes the load. */
export const startLoadGenerator = (file = 'load/load-worker.js') => {
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
