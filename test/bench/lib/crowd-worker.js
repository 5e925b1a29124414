import { connect } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { operations } from './operations.js';

/** One request of an operation, as it goes over the wire. */
const requestText = (operation, { address, key, animals }) => {
  const { method, path, headers = {}, body } = operations[operation](animals);
  const fields = {
    host: new URL(address).host,
    authorization: `Bearer ${key}`,
    ...headers,
    ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
};

const headEnd = '\r\n\r\n';

const bodyLength = (head) => {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`a response without Content-Length: ${head}`);
  return Number(length);
};

/** Reads the responses on one connection, chunk by chunk, and tells the status of each when its last byte is there. */
const responseReader = (onResponse) => {
  let begun = Buffer.alloc(0);
  let status;
  let left = 0;
  return (chunk) => {
    let bytes = begun.length === 0 ? chunk : Buffer.concat([begun, chunk]);
    begun = Buffer.alloc(0);
    while (bytes.length > 0) {
      if (status === undefined) {
        const length = bytes.indexOf(headEnd);
        if (length < 0) {
          begun = Buffer.from(bytes);
          return;
        }
        const head = bytes.toString('latin1', 0, length);
        status = head.slice(9, 12);
        left = bodyLength(head);
        bytes = bytes.subarray(length + headEnd.length);
      }
      const taken = Math.min(left, bytes.length);
      left -= taken;
      bytes = bytes.subarray(taken);
      if (left === 0) {
        const whole = status;
        status = undefined;
        onResponse(whole);
      }
    }
  };
};

/** Every socket reads into it, one after another: a chunk is over when its listener returns. */
const shared = Buffer.alloc(64 * 1024);

/** Under the backlog of a listening socket. */
const openedAtOnce = 250;

/** Opens a raw connection; rejects where it is not taken: no HTTP library, and no buffer a read, because the generator shares the target's cores. */
const openConnection = ({ hostname, port }, { onResponse, onClose }) =>
  new Promise((resolve, reject) => {
    const read = responseReader((status) => onResponse(status));
    const socket = connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      onread: {
        buffer: shared,
        callback: (count) => {
          read(shared.subarray(0, count));
          return true;
        },
      },
    });
    socket.once('connect', () => resolve(socket));
    socket.on('error', () => undefined);
    socket.once('close', () => {
      reject(new Error('a connection was not taken'));
      onClose(socket);
    });
  });

/** Opens many, some at a time. */
const openAll = async (count, open) => {
  const opened = [];
  while (opened.length < count) {
    const some = Math.min(openedAtOnce, count - opened.length);
    opened.push(...(await Promise.all(Array.from({ length: some }, open))));
  }
  return opened;
};

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

/** All clients connect, then each sends its requests one after another and tries none again: the answers by status. */
const crowd = async ({ clients, operation, requestsEach, ...target }) => {
  const address = new URL(target.address);
  const statuses = {};
  const count = (status) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const begins = await openAll(clients, async () => {
    let left = requestsEach;
    let tellOver;
    const isOver = new Promise((resolve) => {
      tellOver = resolve;
    });
    const ask = () => socket.write(requestText(operation, target));
    const socket = await openConnection(address, {
      onResponse: (status) => {
        count(status);
        left -= 1;
        if (left > 0) ask();
        else tellOver();
      },
      onClose: () => {
        for (; left > 0; left -= 1) count('closed');
        tellOver();
      },
    });
    return { socket, isOver, ask };
  });
  process.send({ event: 'connected' });
  const began = performance.now();
  for (const { ask } of begins) ask();
  await Promise.all(begins.map(({ isOver }) => isOver));
  const seconds = (performance.now() - began) / 1000;
  for (const { socket } of begins) socket.destroy();
  return { seconds, statuses };
};

process.on('message', async (job) => {
  process.send({ event: 'result', result: await (job.isAtOnce ? crowd(job) : load(job)) });
});
process.once('disconnect', () => process.exit());
