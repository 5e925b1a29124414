import { connect } from 'node:net';

interface Options {
  /** In milliseconds: how long to wait for more of a server that is silent, and may wait for more itself. */
  readonly patience: number;
}

/** All that came back for some bytes (as Latin-1), and whether it was the server who ended the connection. */
export interface Heard {
  readonly bytes: Buffer;
  readonly isEndedByServer: boolean;
}

const limit = 200;

/** Sends bytes over a connection of their own, and hears the server out. */
export const converse = (port: number, bytes: string, { patience }: Options): Promise<Heard> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    const chunks: Array<Buffer> = [];
    let silences = 0;
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A server may close while it is still being written to: what it said before counts, not the reset.
    socket.on('error', () => undefined);
    socket.setTimeout(patience, () => {
      silences += 1;
      socket.end();
      if (silences < limit) return;
      socket.destroy();
      reject(new Error(`a connection that is never closed, after ${JSON.stringify(bytes.slice(0, 2_000))}`));
    });
    socket.once('close', () => {
      resolve({ bytes: Buffer.concat(chunks), isEndedByServer: silences === 0 });
    });
    socket.write(Buffer.from(bytes, 'latin1'));
  });
