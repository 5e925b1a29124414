import { once } from 'node:events';
import { connect } from 'node:net';

/** Under the backlog of a listening socket. */
const connectedAtOnce = 250;

/** Reads one answer: the status in its first line, and as many bytes as it announces. */
const answer = (socket) =>
  new Promise((resolve) => {
    let received = 0;
    let total;
    let status = 'closed';
    let head = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received += chunk.length;
      if (total === undefined) {
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf('\r\n\r\n');
        if (end === -1) return;
        const text = head.toString('latin1', 0, end);
        status = text.slice(9, 12);
        total = end + 4 + Number(/content-length: (\d+)/i.exec(text)[1]);
      }
      if (received >= total) resolve(status);
    });
    socket.on('error', () => resolve('reset'));
    socket.on('close', () => resolve(received >= total ? status : 'closed'));
  });

const open = async ({ hostname, port }, count) => {
  const sockets = [];
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(connectedAtOnce, count - sockets.length) }, () =>
      connect(Number(port), hostname),
    );
    await Promise.all(some.map((socket) => once(socket, 'connect')));
    sockets.push(...some);
  }
  return sockets;
};

const crowd = async ({ address, key, clients }) => {
  const url = new URL(address);
  const sockets = await open(url, clients);
  process.send({ event: 'connected' });
  const request = `GET /v1/pets?limit=100 HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const began = performance.now();
  const statuses = await Promise.all(
    sockets.map((socket) => {
      const answered = answer(socket);
      socket.write(request);
      return answered;
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  for (const socket of sockets) socket.destroy();
  const counts = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return { seconds, statuses: counts };
};

process.on('message', async (job) => {
  process.send({ event: 'result', result: await crowd(job) });
});
process.once('disconnect', () => process.exit());
