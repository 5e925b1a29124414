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
export const untilClosed = (socket: Socket): Promise<unknown> =>
  new Promise((resolve) => {
    if (socket.closed) resolve(true);
    else socket.once('close', resolve);
  });
