import { expect } from 'chai';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { registerSessions, type Session } from '../../../../adapters/knex/postgres/sessions';
import { freePort } from '../../../support/processes/system';

const silenceMs = 50;

const slownessMs = 600;

const tlsHandshake = 0x16;

const session = (stream: Socket, port: number): Session => ({
  host: '127.0.0.1',
  port,
  ssl: true,
  processID: 1,
  secretKey: 2,
  connection: { stream },
  query: () => Promise.reject(new Error('the server is silent')),
  end: () => Promise.resolve(),
});

describe('The CancelRequest of a silent session', () => {
  it('is sent over a slow network after the caller has got its error', async () => {
    const port = await freePort();
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    const stream = connect(port, '127.0.0.1');
    await once(stream, 'connect');
    const began = performance.now();
    const answered = new Promise<number | undefined>((resolve) => {
      server.on('connection', (socket) => {
        socket.once('data', () => {
          socket.once('data', (data: Buffer) => {
            resolve(data[0]);
            socket.destroy();
          });
          setTimeout(() => socket.write('S'), slownessMs);
        });
      });
    });
    const failed = once(stream, 'error');
    await registerSessions(silenceMs, 1).admit(session(stream, port), false);
    const errors: ReadonlyArray<unknown> = await failed;
    expect(String(errors[0])).to.contain('PostgreSQL sent nothing');
    expect(performance.now() - began).to.be.below(slownessMs);
    expect(await answered).to.equal(tlsHandshake);
    server.close();
  });
});
