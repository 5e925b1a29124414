import type { Socket } from 'node:net';

const maxUnreadBytes = 268_435_456;

interface Reader {
  readonly socket: Socket;
  readonly readBytes: number;
  /** Time of the check that last saw progress: the client has read nothing since. */
  readonly since: number;
}

/**
 * Makes a function to call at intervals with all sockets. It disconnects the clients that have read nothing for the
 * longest time, until unread responses take at most 256 MiB.
 */
export const unreadLimit = (): ((sockets: ReadonlyArray<Socket>) => void) => {
  let lastReaders: ReadonlyMap<Socket, Reader> = new Map();
  return (sockets) => {
    const now = performance.now();
    const readers = new Map<Socket, Reader>();
    let unreadBytes = 0;
    for (const socket of sockets.filter(({ writableLength }) => writableLength > 0)) {
      const readBytes = socket.bytesWritten - socket.writableLength;
      const last = lastReaders.get(socket);
      readers.set(socket, last?.readBytes === readBytes ? last : { socket, readBytes, since: now });
      unreadBytes += socket.writableLength;
    }
    lastReaders = readers;
    if (unreadBytes <= maxUnreadBytes) return;
    for (const { socket } of [...readers.values()].sort((one, other) => one.since - other.since)) {
      if (unreadBytes <= maxUnreadBytes) return;
      unreadBytes -= socket.writableLength;
      socket.destroy();
    }
  };
};
