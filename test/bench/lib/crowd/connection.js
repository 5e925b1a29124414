import { connect } from 'node:net';
import { operations } from '../load/operations.js';

/** One request of an operation, as it goes over the wire. */
export const requestText = (operation, { address, key, animals }) => {
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
