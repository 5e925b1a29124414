import { connect } from 'node:net';
import { responseReader } from './response-reader.js';

/** Every socket reads into it, one after another: a chunk is over when its listener returns. */
const shared = Buffer.alloc(64 * 1024);

/** Under the backlog of a listening socket. */
const openedAtOnce = 250;

/** Opens a raw connection; rejects where it is not taken: no HTTP library, and no buffer a read, because the generator shares the target's cores. */
export const openConnection = ({ hostname, port }, { onResponse, onClose }) =>
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
export const openAll = async (count, open) => {
  const opened = [];
  while (opened.length < count) {
    const some = Math.min(openedAtOnce, count - opened.length);
    opened.push(...(await Promise.all(Array.from({ length: some }, open))));
  }
  return opened;
};
