import { expect } from 'chai';
import { openRawConnection } from '../../support/http/raw-connection';
import { memoryApplication, startServer } from '../../support/http/start-server';

const last = 'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

const asking = (method: string, ...headers: ReadonlyArray<string>): string =>
  [`${method} /livez HTTP/1.1`, 'Host: a', 'Connection: upgrade', 'Upgrade: h2c', ...headers, '', ''].join(
    '\r\n',
  );

describe('A request that asks for another protocol', () => {
  for (const [what, request, status] of [
    ['without a body', asking('GET'), 200],
    ['with a body', `${asking('POST', 'Content-Length: 5')}hello`, 405],
    ['with a chunked body', `${asking('POST', 'Transfer-Encoding: chunked')}5\r\nhello\r\n0\r\n\r\n`, 405],
  ] as const) {
    it(`is answered in HTTP/1.1 and ends the connection: ${what}`, async () => {
      const server = await startServer(memoryApplication());
      try {
        const { hostname, port } = new URL(server.address);
        const connection = openRawConnection(hostname, Number(port));
        connection.send(request + last);
        const received = (await connection.closed()).toString();
        expect(received.match(/^HTTP\/1\.1 \d+/gm)).to.deep.equal([`HTTP/1.1 ${status}`]);
        expect(received).to.contain('\r\nConnection: close\r\n');
      } finally {
        await server.stop(0);
      }
    });
  }
});
