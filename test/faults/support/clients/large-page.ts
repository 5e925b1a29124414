import { once } from 'node:events';
import { connect, type Socket, type TcpSocketConnectOpts } from 'node:net';
import { call } from '../../../support/http/client';

/** Bytes of a name in JSON, a quote by two: a page of such animals fills every buffer to a client that does not read. */
const longNameBytes = 99_000;

/** As many as a page may hold. */
const animals = 100;

/** Puts as many animals there that a page of them has about ten megabytes. */
export const seedLargePage = async (address: string, key: string): Promise<void> => {
  const body = `{"name":"${'\\"'.repeat(longNameBytes / 2)}","categoryId":7}`;
  for (let animal = 0; animal < animals; animal += 1) {
    await call(`${address}/v1/pets`, { method: 'POST', key, body });
  }
};

/** Connects, and asks for that page; what comes is left to be read, or goes to `onread` in pieces of its size. */
export const askForLargePage = async (
  address: string,
  key: string,
  onread?: TcpSocketConnectOpts['onread'],
): Promise<Socket> => {
  const { hostname, port } = new URL(address);
  const options = { host: hostname, port: Number(port), noDelay: true };
  const socket = connect(onread === undefined ? options : { ...options, onread });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const head = ['GET /v1/pets?limit=100 HTTP/1.1', 'Host: animals', `Authorization: Bearer ${key}`, '', ''];
  socket.write(head.join('\r\n'));
  return socket;
};
