import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';

/** Properties of a connection of the driver `pg`. The server or a pooler has sent the process id and the key. */
export interface CancellableSession {
  readonly host: string;
  readonly port: number;
  readonly ssl: boolean | ConnectionOptions;
  readonly processID: number;
  readonly secretKey: number;
}

/**
 * Asks the server to cancel the statement that a session runs, by a CancelRequest (PostgreSQL, "Canceling Requests in
 * Progress"). The request needs no free session. Resolves when the server has taken the request, and rejects if it
 * can't be sent within `timeoutMs`. `pg` has no documented function for this, and Knex would open a session.
 */
export const cancelStatement = async (session: CancellableSession, timeoutMs: number): Promise<void> => {
  const { host, port, ssl, processID, secretKey } = session;
  const signal = AbortSignal.timeout(timeoutMs);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  try {
    await once(socket, 'connect', { signal });
    const stream = ssl === false ? socket : await encrypt(socket, session, signal);
    const closed = once(stream, 'close', { signal });
    // Waits until the server closes the connection, as libpq does. If this side closes first, PgBouncer 1.18 ends with
    // a fatal error.
    stream.resume().write(int32s(16, cancelRequestCode, processID, secretKey));
    await closed;
  } finally {
    socket.on('error', () => undefined).destroy();
  }
};

/** Codes of requests (PostgreSQL, "Message Formats"). */
const sslRequestCode = 80_877_103;
const cancelRequestCode = 80_877_102;

const encrypt = async (
  socket: Socket,
  { host, ssl }: CancellableSession,
  signal: AbortSignal,
): Promise<Socket> => {
  socket.write(int32s(8, sslRequestCode));
  const answer: ReadonlyArray<unknown> = await once(socket, 'data', { signal });
  if (String(answer[0]) !== 'S') throw new Error('the server does not support TLS');
  const name = isIP(host) === 0 ? { servername: host } : {};
  const encrypted = connectTls({ socket, host, ...name, ...(typeof ssl === 'object' ? ssl : {}) });
  await once(encrypted, 'secureConnect', { signal });
  return encrypted;
};

const int32s = (...numbers: ReadonlyArray<number>): Buffer => {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [index, number] of numbers.entries()) bytes.writeInt32BE(number, 4 * index);
  return bytes;
};
