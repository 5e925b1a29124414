import { connect, type Socket } from 'node:net';

export interface Connection {
  readonly send: (text: string) => void;
  readonly isOpen: () => boolean;
}

interface Listeners {
  readonly onOpen?: () => void;
  readonly onResponse: (status: string, head: string) => void;
  /** Called when the server has closed the connection, or when connecting failed. */
  readonly onClose: () => void;
}

const headEnd = '\r\n\r\n';

const bodyLength = (head: string): number => {
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  if (length === undefined) throw new Error(`a response without Content-Length: ${head}`);
  return Number(length);
};

/** Reads the responses of one connection. Keeps no body in memory, and a chunk only if it ends within a head. */
const responseReader = (onResponse: Listeners['onResponse']): ((chunk: Buffer) => void) => {
  let begun = Buffer.alloc(0);
  let head = '';
  let left = 0;
  return (chunk) => {
    let bytes = begun.length === 0 ? chunk : Buffer.concat([begun, chunk]);
    begun = Buffer.alloc(0);
    while (bytes.length > 0) {
      if (head === '') {
        const length = bytes.indexOf(headEnd);
        if (length < 0) {
          begun = Buffer.from(bytes);
          return;
        }
        head = bytes.toString('latin1', 0, length);
        left = bodyLength(head);
        bytes = bytes.subarray(length + headEnd.length);
      }
      const taken = Math.min(left, bytes.length);
      left -= taken;
      bytes = bytes.subarray(taken);
      if (left > 0) continue;
      const whole = head;
      head = '';
      onResponse(whole.slice(9, 12), whole);
    }
  };
};

/** Buffer into which all sockets read. A chunk is valid until its listener returns. */
const shared = Buffer.alloc(64 * 1024);

/**
 * Opens a raw connection. The load takes little processor time, because it needs no HTTP library and no buffer for each
 * read.
 */
export const openConnection = (
  { hostname, port }: URL,
  { onOpen = () => undefined, onResponse, onClose }: Listeners,
): Connection => {
  const read = responseReader(onResponse);
  const socket: Socket = connect({
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
  socket.once('connect', onOpen);
  socket.on('error', () => undefined);
  socket.once('close', onClose);
  return {
    send: (text) => void socket.write(text, 'latin1'),
    isOpen: () => !socket.destroyed && socket.writable,
  };
};
