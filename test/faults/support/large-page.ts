import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { call } from './call';

/** In bytes: a page of such animals fills every buffer on its way to a client that does not read. */
const longName = 90_000;

/** As many as a page may hold. */
const animals = 100;

/** Puts as many animals there that a page of them has about nine megabytes. */
export const seedLargePage = async (address: string, key: string): Promise<void> => {
  const body = `{"name":"${'x'.repeat(longName)}","categoryId":7}`;
  for (let animal = 0; animal < animals; animal += 1) {
    await call(`${address}/v1/pets`, { method: 'POST', key, body });
  }
};

/** Connects, and asks for that page; what comes is left to be read. */
export const askForLargePage = async (address: string, key: string): Promise<Socket> => {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const head = ['GET /v1/pets?limit=100 HTTP/1.1', 'Host: animals', `Authorization: Bearer ${key}`, '', ''];
  socket.write(head.join('\r\n'));
  return socket;
};
