import type { Socket } from 'node:net';

const maxUnreadBytes = 268_435_456;

interface ReadProgress {
  readonly socket: Socket;
  readonly readBytes: number;
  /** Time of the last check at which the client had read more than before. */
  readonly since: number;
}

/**
 * Makes a function to call at intervals with all sockets. It disconnects the clients that have read nothing for the
 * longest time, until unread responses take at most 256 MiB.
 */
export const unreadLimit = (): ((sockets: ReadonlyArray<Socket>) => void) => {
  let lastProgress: ReadonlyMap<Socket, ReadProgress> = new Map();
  return (sockets) => {
    const now = performance.now();
    const progress = new Map<Socket, ReadProgress>();
    let unreadBytes = 0;
    for (const socket of sockets.filter(({ writableLength }) => writableLength > 0)) {
      const readBytes = socket.bytesWritten - socket.writableLength;
      const last = lastProgress.get(socket);
      progress.set(socket, last?.readBytes === readBytes ? last : { socket, readBytes, since: now });
      unreadBytes += socket.writableLength;
    }
    lastProgress = progress;
    if (unreadBytes <= maxUnreadBytes) return;
    for (const { socket } of [...progress.values()].sort((one, other) => one.since - other.since)) {
      if (unreadBytes <= maxUnreadBytes) return;
      unreadBytes -= socket.writableLength;
      socket.destroy();
    }
  };
};
