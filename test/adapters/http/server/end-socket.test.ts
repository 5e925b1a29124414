import { expect } from 'chai';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { mock } from 'node:test';
import { endSocket } from '../../../../adapters/http/server/end-socket';
import { serverTimeouts } from '../../../../adapters/http/server/timeouts';
import { fakeTimeouts } from '../../../support/fake-timers';
import { listenOn } from '../../../support/http/listen';

/** Connects a client that never closes its side of the connection. */
const withSockets = async (use: (socket: Socket, client: Socket) => Promise<void>): Promise<void> => {
  const server = createServer({ allowHalfOpen: true });
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const { address, close } = await listenOn(server);
  const client = connect({ port: Number(new URL(address).port), host: '127.0.0.1', allowHalfOpen: true });
  client.on('error', () => undefined);
  try {
    await use(await accepted, client);
  } finally {
    client.destroy();
    await close();
  }
};

describe('A socket after its last response', () => {
  afterEach(() => {
    mock.reset();
  });

  it('lingers for a second', () =>
    withSockets(async (socket, client) => {
      fakeTimeouts();
      const ended = once(client.resume(), 'end');
      endSocket(socket, true);
      await ended;
      mock.timers.tick(serverTimeouts.lingerMs - 1);
      expect(socket.destroyed).to.equal(false);
      mock.timers.tick(1);
      expect(socket.destroyed).to.equal(true);
    }));

  it('discards 8 MB that its client still sends, and then reads no more', () =>
    withSockets(async (socket, client) => {
      fakeTimeouts();
      endSocket(socket, true);
      client.end(Buffer.alloc(12_000_000));
      await Promise.race([once(socket, 'pause'), once(socket, 'end')]);
      expect(socket.bytesRead).to.be.within(8_000_001, 8_200_000);
    }));
});
