import { expect } from 'chai';
import { openRawConnection } from '../../support/http/raw-connection';
import { key, memoryApplication, startServer } from '../../support/http/start-server';

const head = [
  'POST /v1/pets HTTP/1.1',
  'Host: a',
  `Authorization: Bearer ${key}`,
  'Content-Type: application/json',
  'Transfer-Encoding: chunked',
  'Connection: close',
  '\r\n',
].join('\r\n');

/** Returns the text of a create of `length` bytes, with each byte in a chunk of its own. */
const inOneByteChunks = (length: number): string =>
  `{"categoryId":7,"name":"${'x'.repeat(length - 26)}"}`.replace(/./g, '1\r\n$&\r\n');

describe('A body in chunks of one byte', () => {
  for (const { length, status } of [
    { length: 1_024, status: 201 },
    { length: 2_048, status: 400 },
    { length: 50_000, status: 400 },
  ]) {
    it(`is answered with ${status} at ${length} bytes`, async () => {
      const server = await startServer(memoryApplication());
      try {
        const { hostname, port } = new URL(server.address);
        const connection = openRawConnection(hostname, Number(port));
        connection.send(`${head}${inOneByteChunks(length)}0\r\n\r\n`);
        expect((await connection.closed()).toString()).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
      } finally {
        await server.stop(0);
      }
    });
  }
});
