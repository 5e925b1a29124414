import { connect } from 'node:net';

/** In milliseconds: nothing is promised to come within it. A busy machine may take long. */
const timeoutMs = 20_000;

/** A TCP connection that says what it is told, byte for byte. */
export type RawConnection = Readonly<{
  /** Strings go out as Latin-1: one byte a character. */
  send: (bytes: string | Buffer) => void;
  /** Waits until what came so far matches `pattern`. */
  received: (pattern: RegExp) => Promise<void>;
  /** Waits until the server has closed the connection: all that it sent. */
  closed: () => Promise<Buffer>;
  /** Ends this side: nothing more is sent, what comes is still read. */
  end: () => void;
  destroy: () => void;
  /** Ends the connection without a farewell: what the server still writes to it fails. */
  reset: () => void;
}>;

/** Opens a connection. Its waits fail after 20 seconds. */
export const openRawConnection = (host: string, port: number): RawConnection => {
  const socket = connect({ host, port, noDelay: true });
  const chunks: Array<Buffer> = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A server may close while it is still being written to: what it said before counts, not the reset.
  socket.on('error', () => undefined);

  const soFar = () => Buffer.concat(chunks);
  const waitFor = (event: 'data' | 'close', isThere: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      const settle = () => {
        if (!isThere() && !socket.closed) return;
        clearTimeout(timer);
        socket.off(event, settle).off('close', settle);
        if (isThere()) resolve();
        else reject(new Error(`the connection closed after: ${JSON.stringify(soFar().toString('latin1'))}`));
      };
      const timer = setTimeout(() => {
        socket.destroy();
        reject(new Error(`no answer in time, only: ${JSON.stringify(soFar().toString('latin1'))}`));
      }, timeoutMs);
      socket.on(event, settle).on('close', settle);
      settle();
    });

  return {
    send: (bytes) => void socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes),
    received: (pattern) => waitFor('data', () => pattern.test(soFar().toString('latin1'))),
    closed: () => waitFor('close', () => socket.closed).then(soFar),
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
    reset: () => void socket.resetAndDestroy(),
  };
};
