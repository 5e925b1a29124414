import { expect } from 'chai';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import {
  allowHalfOpen,
  beforeReading,
  joinChunks,
  onLastResponse,
  takeParser,
  unparsedRequest,
} from '../../../adapters/http-server/node-internals';
import { eventually } from '../../support/eventually';
import { listenOn } from '../../support/http/listen';
import { getRequest, postRequest, statusesIn } from '../../support/http/plain-server';
import { connectTo, type RawConnection } from '../../support/http/raw-connection';

const boundMs = 20_000;

/** Runs a test with Node's own server and one changed internal. Destroys all connections when the server closes. */
const withServer = async (
  change: (server: Server) => void,
  listener: RequestListener,
  use: (connect: () => RawConnection) => Promise<void>,
): Promise<void> => {
  const server = createServer(listener);
  change(server);
  const { address, close } = await listenOn(server);
  try {
    await use(() => connectTo(address));
  } finally {
    await close();
  }
};

const onConnection =
  (change: (socket: Socket) => void) =>
  (server: Server): void => {
    server.on('connection', change);
  };

describe("Node's internals", () => {
  it("parse the pieces of a packet through Node's own listener, and finish on request", async () => {
    const pieces: Array<Buffer> = [];
    let parser: ReturnType<typeof takeParser> | undefined;
    const urls: Array<string | undefined> = [];
    await withServer(
      onConnection((socket) => {
        parser = takeParser(socket);
        expect([socket.listenerCount('data'), socket.listenerCount('end')]).to.deep.equal([0, 0]);
        socket.on('data', (bytes: Buffer) => pieces.push(bytes));
      }),
      ({ url }) => urls.push(url),
      async (connect) => {
        connect().send(getRequest('/1') + getRequest('/2'));
        await eventually('bytes have come', boundMs, () => pieces.length > 0);
        const bytes = Buffer.concat(pieces);
        for (let at = 0; at < bytes.length; at += 7) parser?.parse(bytes.subarray(at, at + 7));
        expect(urls).to.deep.equal(['/1', '/2']);
        parser?.finish();
      },
    );
  });

  it('hand over a connection after its last response, and close it on request', async () => {
    let close: (() => void) | undefined;
    await withServer(
      onConnection((socket) => {
        onLastResponse(socket, (destroySoon) => (close = destroySoon));
      }),
      (_, response) => response.end('well'),
      async (connect) => {
        const connection = connect();
        connection.send(getRequest('/', 'Connection: close'));
        await connection.received(/well/);
        await eventually('it is handed over', boundMs, () => close !== undefined);
        close?.();
        expect(statusesIn(await connection.closed())).to.deep.equal([200]);
      },
    );
  });

  it('answer a client that has half-closed its connection', async () => {
    await withServer(
      allowHalfOpen,
      (request, response) => {
        request.socket.once('end', () => setImmediate(() => response.end('well')));
      },
      async (connect) => {
        const connection = connect();
        connection.send(getRequest('/'));
        connection.end();
        expect(statusesIn(await connection.closed())).to.deep.equal([200]);
      },
    );
  });

  it('keep joined chunks and their end in order', async () => {
    const received: Array<Buffer> = [];
    await withServer(
      () => undefined,
      (request, response) => {
        const body = joinChunks(request);
        request.on('data', (chunk: Buffer) => received.push(chunk));
        request.on('end', () => response.end(JSON.stringify([body.chunks, body.bytes])));
      },
      async (connect) => {
        const connection = connect();
        const chunks = '0123456789'.replace(/./g, '1\r\n$&\r\n');
        connection.send(
          `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
        );
        expect((await connection.closed()).toString()).to.match(/\[10,10\]/);
        expect(received.map(String)).to.deep.equal(['0123456789']);
      },
    );
  });

  it('ask for a body once it has a reader, before its first byte', async () => {
    const order: Array<string> = [];
    await withServer(
      () => undefined,
      (request, response) => {
        beforeReading(request, () => order.push('asked'));
        setTimeout(() => {
          order.push('read');
          request.on('data', (chunk: Buffer) => order.push(String(chunk)));
          request.on('end', () => response.end());
        }, 100);
      },
      async (connect) => {
        const connection = connect();
        connection.send(postRequest('/', 'hello', 'Connection: close').slice(0, -5));
        await eventually('it is asked for', boundMs, () => order.length === 2);
        connection.send('hello');
        await connection.closed();
        expect(order).to.deep.equal(['read', 'asked', 'hello']);
      },
    );
  });

  it('make a request without a head', async () => {
    await withServer(
      onConnection((socket) => {
        const request = unparsedRequest(socket, 'HEAD');
        expect([request.method, request.complete, request.socket === socket]).to.deep.equal([
          'HEAD',
          true,
          true,
        ]);
      }),
      (_, response) => response.end(),
      async (connect) => {
        const connection = connect();
        connection.send(getRequest('/', 'Connection: close'));
        await connection.closed();
      },
    );
  });
});
