import { expect } from 'chai';
import type { RequestListener } from 'node:http';
import { Socket } from 'node:net';
import { beforeReading, joinChunks, unparsedRequest } from '../../../adapters/http-server/node-internals';
import { eventually } from '../../support/eventually';
import { servePlainly } from '../../support/http/listen';
import { connectTo, headOf, postRequest, type RawConnection } from '../../support/http/raw-connection';

/** Connects to Node's own server, which closes the connection at the end of the test. */
const withServer = async (
  listener: RequestListener,
  use: (connection: RawConnection) => Promise<void>,
): Promise<void> => {
  const { address, close } = await servePlainly(listener);
  try {
    await use(connectTo(address));
  } finally {
    await close();
  }
};

describe("Node's internals", () => {
  it('keep joined chunks and their end in order', async () => {
    const received: Array<Buffer> = [];
    await withServer(
      (request, response) => {
        const body = joinChunks(request);
        request.on('data', (chunk: Buffer) => received.push(chunk));
        request.on('end', () => response.end(JSON.stringify([body.chunks, body.bytes])));
      },
      async (connection) => {
        const head = headOf('POST / HTTP/1.1', 'Host: a', 'Connection: close', 'Transfer-Encoding: chunked');
        connection.send(`${head}${'0123456789'.replace(/./g, '1\r\n$&\r\n')}0\r\n\r\n`);
        expect((await connection.closed()).toString()).to.match(/\[10,10\]/);
        expect(received.map(String)).to.deep.equal(['0123456789']);
      },
    );
  });

  it('ask for a body once it has a reader, before its first byte', async () => {
    const order: Array<string> = [];
    await withServer(
      (request, response) => {
        beforeReading(request, () => order.push('asked'));
        setTimeout(() => {
          order.push('read');
          request.on('data', (chunk: Buffer) => order.push(String(chunk)));
          request.on('end', () => response.end());
        }, 100);
      },
      async (connection) => {
        connection.send(postRequest('/', 'hello', 'Connection: close').slice(0, -5));
        await eventually('it is asked for', 20_000, () => order.length === 2);
        connection.send('hello');
        await connection.closed();
        expect(order).to.deep.equal(['read', 'asked', 'hello']);
      },
    );
  });

  it('make a request without a head', () => {
    const socket = new Socket();
    const request = unparsedRequest(socket, 'HEAD');
    expect(request).to.include({ method: 'HEAD', complete: true, socket });
  });
});
