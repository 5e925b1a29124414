import { connect, type Socket } from 'node:net';
import { responseReader } from './response-reader';

/** A connection that is asked one request at a time. */
export interface Connection {
  readonly send: (text: string) => void;
  readonly isOpen: () => boolean;
}

interface Listeners {
  readonly onOpen?: () => void;
  readonly onResponse: (status: string, head: string) => void;
  /** It was ended from the other side, or could not be made. */
  readonly onClose: () => void;
}

/** Every socket reads into it, one after another: a chunk is over when its listener returns. */
const shared = Buffer.alloc(64 * 1024);

/** Opens a raw connection: no HTTP library, and no buffer a read, so that a source of load takes little time. */
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
