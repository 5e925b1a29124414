import { openAll, openConnection, requestText } from './connection.js';

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
  process.send({ event: 'result', result: await crowd(job) });
});
process.once('disconnect', () => process.exit());
