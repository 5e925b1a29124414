import autocannon from 'autocannon';
import { createHistogram } from 'node:perf_hooks';
import { operations } from './operations.js';

/** Requests that are written beforehand for one connection, so that none is made while the clock runs. */
const requestsOf = (connections) => Math.ceil(16_000 / connections);

const warmUpSeconds = 0.5;

/** Keeps `connections` requests in flight; counts those that end after the warm-up. Latencies are in microseconds. */
const load = ({ address, key, operation, animals, connections, seconds }) =>
  new Promise((resolve, reject) => {
    const latencies = createHistogram();
    const authorization = `Bearer ${key}`;
    const nextRequest = () => {
      const request = operations[operation](animals);
      return { ...request, headers: { authorization, ...request.headers } };
    };
    let measuring = false;
    let began;
    let processor;
    let elapsed;
    let faults = 0;

    const instance = autocannon(
      {
        url: address,
        connections,
        duration: 3_600,
        sampleInt: 50,
        setupClient: (client) => {
          client.setRequests(Array.from({ length: requestsOf(connections) }, nextRequest));
        },
      },
      (error, result) => {
        if (error) reject(error);
        else {
          resolve({
            requestsPerSecond: latencies.count / elapsed,
            p50: latencies.percentile(50),
            p99: latencies.percentile(99),
            generatorProcessor: processor / elapsed,
            faults: faults + result.errors + result.timeouts + result.mismatches,
          });
        }
      },
    );
    instance.on('response', (_client, status, _bytes, milliseconds) => {
      if (status < 200 || status > 299) faults += 1;
      if (measuring) latencies.record(Math.max(1, Math.round(milliseconds * 1000)));
    });
    setTimeout(() => {
      measuring = true;
      began = performance.now();
      processor = process.cpuUsage();
      process.send({ event: 'measuring' });
    }, warmUpSeconds * 1000);
    setTimeout(
      () => {
        measuring = false;
        elapsed = (performance.now() - began) / 1000;
        const { user, system } = process.cpuUsage(processor);
        processor = (user + system) / 1_000_000;
        process.send({ event: 'measured' });
        instance.stop();
      },
      (warmUpSeconds + seconds) * 1000,
    );
  });

process.on('message', async (job) => {
  process.send({ event: 'result', result: await load(job) });
});
process.once('disconnect', () => process.exit());
