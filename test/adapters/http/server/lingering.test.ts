import { expect } from 'chai';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { mock } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Application, RequestRecord } from '../../../../adapters/http';
import { eventually } from '../../../support/eventually';
import { silentReporter, startServer } from '../../../support/http/start-server';

const answering =
  (body: string): Application =>
  () =>
    Promise.resolve({
      response: { status: 200, body, headers: { Connection: 'close' } },
      failure: undefined,
      caller: undefined,
      route: undefined,
    });

/** Sends a request that ends its connection, and a byte behind it; does not end its own side when the server does. */
const askForLast = (address: string): Socket => {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nx');
  return socket;
};

describe('A connection whose client sends on behind its last request', () => {
  it('is closed ten seconds after the response at the latest, whatever still comes', async () => {
    const server = await startServer(answering('well'));
    mock.timers.enable({ apis: ['setTimeout'] });
    let seconds = 0;
    const socket = askForLast(server.address);
    const sending = setInterval(() => {
      if (!socket.readableEnded) return;
      seconds += 1;
      mock.timers.tick(1_000);
      socket.write('x');
      if (seconds > 10) socket.destroy();
    }, 100);
    try {
      await new Promise((resolve) => socket.resume().once('close', resolve));
      expect(seconds).to.be.within(2, 10);
    } finally {
      clearInterval(sending);
      mock.timers.reset();
      await server.stop(0);
    }
  });

  it('is not closed while its reader pauses and the end of the response has not gone out', async () => {
    // The kernel takes some megabytes on both sides.
    const body = 'x'.repeat(33_554_432);
    const server = await startServer(answering(body));
    try {
      const socket = askForLast(server.address);
      await delay(2_500);
      let received = 0;
      for await (const chunk of socket) received += String(chunk).length;
      expect(received).to.be.above(body.length);
    } finally {
      await server.stop(0);
    }
  });

  it('is recorded with the time until the response had gone out', async () => {
    const ended: Array<RequestRecord> = [];
    const server = await startServer(answering('well'), {
      reporter: { ...silentReporter, requestEnded: (record) => ended.push(record) },
    });
    const began = performance.now();
    const socket = askForLast(server.address);
    try {
      await eventually('it is recorded', 20_000, () => ended.length > 0);
      // It was read on for a second.
      expect(ended[0]?.milliseconds).to.be.below(performance.now() - began - 900);
    } finally {
      socket.destroy();
      await server.stop(0);
    }
  });

  for (const { size, what } of [
    { size: 10, what: 'a small response' },
    { size: 60_000, what: 'one that does not go out at once' },
  ]) {
    it(`is read to the end behind ${what}, and not parsed`, async () => {
      const server = await startServer(answering('x'.repeat(size)));
      let parsed = 0;
      const count = (): void => {
        parsed += 1;
      };
      subscribe('http.server.request.start', count);
      try {
        const { hostname, port } = new URL(server.address);
        const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
        const closed = once(socket, 'close');
        const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
        socket.write(request.repeat(2));
        await once(socket.resume(), 'end');
        // More than the kernel takes for a server that does not read.
        socket.end(request.repeat(500_000));
        await closed;
        expect(parsed).to.equal(2);
      } finally {
        unsubscribe('http.server.request.start', count);
        await server.stop(0);
      }
    });
  }
});
