import { expect } from 'chai';
import { getRequest, startPlainServer, statusesIn } from '../../support/http/plain-server';

const asking = (...headers: ReadonlyArray<string>): string =>
  ['POST / HTTP/1.1', 'Host: a', 'Connection: upgrade', 'Upgrade: h2c', ...headers, '', ''].join('\r\n');

describe('A request that asks for another protocol', () => {
  for (const [what, request] of [
    ['without a body', asking()],
    ['with a body', `${asking('Content-Length: 5')}hello`],
    ['with a chunked body', `${asking('Transfer-Encoding: chunked')}5\r\nhello\r\n0\r\n\r\n`],
  ] as const) {
    it(`is answered in HTTP/1.1 and ends the connection: ${what}`, async () => {
      const server = await startPlainServer((_, response) => response.end('well'));
      try {
        const connection = server.connect();
        connection.send(request + getRequest('/'));
        const received = await connection.closed();
        expect(statusesIn(received)).to.deep.equal([200]);
        expect(received.toString()).to.contain('\r\nConnection: close\r\n');
      } finally {
        await server.stop(0);
      }
    });
  }
});
