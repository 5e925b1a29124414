import { expect } from 'chai';
import { once } from 'node:events';
import { connect, type Socket, type TcpSocketConnectOpts } from 'node:net';
import { call, idOf, newPet } from '../../support/http/client';

/** Starts a client that uses the service correctly. `end` fails if a response was wrong. */
export const goodClient = ({ address, key }: { readonly address: string; readonly key: string }) => {
  let isGoing = true;
  const use = async (): Promise<void> => {
    for (let count = 0; isGoing; count += 1) {
      const created = await call(`${address}/v1/pets`, {
        method: 'POST',
        key,
        body: newPet(`good ${count}`),
      });
      expect(created.status, created.text).to.equal(201);
      const got = await call(`${address}/v1/pets/${idOf(created.text)}`, { key });
      expect([got.status, got.text]).to.deep.equal([200, created.text]);
    }
  };
  const used = use();
  return {
    end: (): Promise<void> => {
      isGoing = false;
      return used;
    },
  };
};

export interface Heard {
  readonly bytes: Buffer;
  readonly isEndedByServer: boolean;
}

const maxSilences = 200;

/**
 * Sends bytes (as Latin-1) on a new connection. Closes the connection once the server has sent nothing for
 * `patienceMs`.
 */
export const converse = (port: number, bytes: string, patienceMs: number): Promise<Heard> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    const chunks: Array<Buffer> = [];
    let silences = 0;
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // The server may close while the client still writes, which resets the connection. The bytes before the reset
    // count.
    socket.on('error', () => undefined);
    socket.setTimeout(patienceMs, () => {
      silences += 1;
      socket.end();
      if (silences < maxSilences) return;
      socket.destroy();
      reject(new Error(`a connection that is never closed, after ${JSON.stringify(bytes.slice(0, 2_000))}`));
    });
    socket.once('close', () => {
      resolve({ bytes: Buffer.concat(chunks), isEndedByServer: silences === 0 });
    });
    socket.write(Buffer.from(bytes, 'latin1'));
  });

/** Connects to the address of a service. Errors of the socket are ignored. */
export const connectTo = async (
  address: string,
  options: Partial<TcpSocketConnectOpts> = {},
): Promise<Socket> => {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, ...options });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
};

/** Waits until a socket is closed. Unlike `once`, ignores errors before. */
export const untilClosed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) resolve();
    else
      socket.once('close', () => {
        resolve();
      });
  });

/** Name of an animal, in JSON. A page of such names fills every buffer towards a client that does not read. */
const longName = '\\"'.repeat(49_500);

const animalsPerPage = 100;

export const seedLargePage = async (address: string, key: string): Promise<void> => {
  const body = `{"name":"${longName}","categoryId":7}`;
  for (let animal = 0; animal < animalsPerPage; animal += 1) {
    await call(`${address}/v1/pets`, { method: 'POST', key, body });
  }
};

export const requestLargePage = async (
  address: string,
  key: string,
  options: Partial<TcpSocketConnectOpts> = {},
): Promise<Socket> => {
  const socket = await connectTo(address, options);
  socket.write(`GET /v1/pets?limit=100 HTTP/1.1\r\nHost: animals\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  return socket;
};
