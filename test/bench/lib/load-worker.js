import autocannon from 'autocannon';
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { operations } from './operations.js';
import { processorSeconds } from './processor-time.js';

/** Number of requests to prepare before the measurement, so that making them costs no measured time. */
const preparedRequests = 16_000;

const warmUpMs = 500;

/** Keeps `connections` requests in flight, and counts those that end after the warm-up. Latencies are in microseconds. */
const load = async ({ address, key, pid, operation, animals, connections, seconds }) => {
  const latencies = createHistogram();
  const authorization = `Bearer ${key}`;
  const { requestsPerConnection } = operations[operation];
  let isMeasuring = false;
  let faults = 0;
  const record = (milliseconds) => {
    if (isMeasuring) latencies.record(Math.max(1, Math.round(milliseconds * 1000)));
  };
  const run = autocannon({
    url: address,
    connections,
    duration: 3_600,
    reconnectRate: requestsPerConnection,
    setupClient: (client) => {
      const requests = Array.from({ length: Math.ceil(preparedRequests / connections) }, () => {
        const request = operations[operation].request(animals);
        return { ...request, headers: { authorization, ...request.headers } };
      });
      client.setRequests(requests);
      if (requestsPerConnection === undefined) return;
      // Measures from request to request, because autocannon reports no response that ends a connection.
      let sentAt = performance.now();
      client.on('request', () => {
        const now = performance.now();
        record(now - sentAt);
        sentAt = now;
      });
    },
  });
  run.on('response', (_client, status, _bytes, milliseconds) => {
    if (status < 200 || status > 299) faults += 1;
    record(milliseconds);
  });

  const now = () => ({
    time: performance.now() / 1000,
    target: processorSeconds(pid),
    generator: processorSeconds(process.pid),
  });
  await delay(warmUpMs);
  isMeasuring = true;
  const began = now();
  await delay(seconds * 1000);
  isMeasuring = false;
  const ended = now();
  run.stop();
  const { errors, timeouts } = await run;
  const elapsed = ended.time - began.time;
  return {
    requestsPerSecond: latencies.count / elapsed,
    p50: latencies.percentile(50),
    p99: latencies.percentile(99),
    targetCores: (ended.target - began.target) / elapsed,
    generatorCores: (ended.generator - began.generator) / elapsed,
    faults: faults + errors + timeouts,
  };
};

process.on('message', async (job) => {
  process.send(await load(job));
});
process.once('disconnect', () => process.exit());
