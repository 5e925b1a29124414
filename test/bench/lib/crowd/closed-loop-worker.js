import { createHistogram } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { openAll, openConnection, requestText } from './connection.js';

/** Requests that are written beforehand, so that none is made while the clock runs. */
const texts = 1_000;

/** The slowest target answers all of the largest crowd within it. */
const warmUpSeconds = 1.5;

/**
 * Keeps a request in flight on each connection; counts those that end after the warm-up. Latencies are in microseconds,
 * and of answers alone; refused are those that are told 503 or whose connection is ended.
 */
const load = async ({ operation, connections, seconds, ...target }) => {
  const address = new URL(target.address);
  const requests = Array.from({ length: texts }, () => requestText(operation, target));
  const latencies = createHistogram();
  let sent = 0;
  let refused = 0;
  let faults = 0;
  let measuring = false;
  let over = false;
  const sockets = new Set();

  const open = async () => {
    let socket;
    let asked;
    const ask = () => {
      asked = performance.now();
      socket.write(requests[sent % texts]);
      sent += 1;
    };
    socket = await openConnection(address, {
      onResponse: (status) => {
        if (over) return;
        if (measuring) {
          if (status.startsWith('2')) {
            latencies.record(Math.max(1, Math.round((performance.now() - asked) * 1000)));
          } else if (status === '503') refused += 1;
          else faults += 1;
        }
        ask();
      },
      onClose: (closed) => {
        sockets.delete(closed);
        if (over) return;
        if (measuring) refused += 1;
        void open();
      },
    });
    sockets.add(socket);
    ask();
  };

  await openAll(connections, open);
  await delay(warmUpSeconds * 1000);
  process.send({ event: 'measuring' });
  measuring = true;
  const began = performance.now();
  const before = process.cpuUsage();
  await delay(seconds * 1000);
  measuring = false;
  over = true;
  const elapsed = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(before);
  process.send({ event: 'measured' });
  for (const socket of sockets) socket.destroy();
  return {
    requestsPerSecond: latencies.count / elapsed,
    refused,
    p50: latencies.percentile(50),
    p99: latencies.percentile(99),
    generatorProcessor: (user + system) / 1_000_000 / elapsed,
    faults,
  };
};

process.on('message', async (job) => {
  process.send({ event: 'result', result: await load(job) });
});
process.once('disconnect', () => process.exit());
