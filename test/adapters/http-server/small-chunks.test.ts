import { expect } from 'chai';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { readBody } from '../../../adapters/http-server';
import { type PlainServer, startPlainServer } from '../../support/http/plain-server';

const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n';

const inChunks = (body: string): string => `${body.replace(/[^]/g, '1\r\n$&\r\n')}0\r\n\r\n`;

const readers: Readonly<Record<string, (request: IncomingMessage) => Promise<string | Buffer>>> = {
  readBody: (request) => readBody(request, 100_000),
  'the request as a stream': (request) => text(request),
};

describe('A body in chunks of one byte', () => {
  for (const [reader, listener] of Object.entries(readers)) {
    describe(`that is read with ${reader}`, () => {
      let server: PlainServer;
      beforeEach(async () => {
        server = await startPlainServer(async (request, response) => {
          response.end(await listener(request));
        });
      });
      afterEach(() => server.stop(0));

      it('arrives whole in up to 1,024 chunks', async () => {
        const connection = server.connect();
        const body = Array.from({ length: 1_024 }, (_, place) => place % 10).join('');
        connection.send(head + inChunks(body));
        expect((await connection.closed()).toString()).to.match(
          new RegExp(`^HTTP/1\\.1 200 [^]*\r\n\r\n${body}$`),
        );
      });

      for (const length of [2_048, 50_000]) {
        it(`is rejected as malformed with ${length} bytes`, async () => {
          const connection = server.connect();
          connection.send(head + inChunks('x'.repeat(length)));
          const received = (await connection.closed()).toString();
          expect(received).to.match(/^HTTP\/1\.1 400 [^]*MalformedRequest/);
        });
      }
    });
  }
});
