import { expect } from 'chai';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { RequestRecord } from '../../../adapters/http';
import { inMemoryPetRepository } from '../../../adapters/in-memory';
import type { PetRepository } from '../../../core';
import { eventually } from '../../support/eventually';
import { openRawConnection } from '../../support/http/raw-connection';
import { key, memoryApplication, silentReporter, startServer } from '../../support/http/start-server';

const boundMs = 20_000;

const create = (name: string, ...headers: ReadonlyArray<string>): string => {
  const body = `{"name":"${name}","categoryId":7}`;
  return [
    'POST /v1/pets HTTP/1.1',
    'Host: animals',
    ...(headers.some((line) => line.startsWith('Authorization')) ? [] : [`Authorization: Bearer ${key}`]),
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...headers,
    '',
    body,
  ].join('\r\n');
};

const statusesIn = (received: Buffer): ReadonlyArray<number> =>
  [...received.toString().matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));

/** Starts a server whose store records creates, and can delay them. */
const start = async () => {
  const begun: Array<string> = [];
  const ended: Array<RequestRecord> = [];
  const held: Array<() => void> = [];
  let holds = false;
  const repository = inMemoryPetRepository();
  const pets: PetRepository = {
    ...repository,
    create: (newPet, idempotencyKey) => async () => {
      begun.push(newPet.name);
      if (holds) await new Promise<void>((resolve) => held.push(resolve));
      return repository.create(newPet, idempotencyKey)();
    },
  };
  const server = await startServer(memoryApplication({ pets }), {
    maxInFlight: 4,
    reporter: { ...silentReporter, requestEnded: (record) => ended.push(record) },
  });
  const { hostname, port } = new URL(server.address);
  return {
    begun,
    ended,
    hold: () => {
      holds = true;
    },
    release: () => {
      holds = false;
      for (const go of held.splice(0)) go();
    },
    port: Number(port),
    connect: () => openRawConnection(hostname, Number(port)),
    stop: server.stop,
  };
};

// `test/adapters/http-server` has more tests of connections, with a listener of its own.
describe('A connection of the service', () => {
  let service: Awaited<ReturnType<typeof start>>;
  beforeEach(async () => {
    service = await start();
  });
  afterEach(async () => {
    service.release();
    await service.stop(0);
  });

  it('starts a pipelined request after the response to the one before', async () => {
    service.hold();
    const connection = service.connect();
    connection.send(create('first') + create('second') + create('third', 'Connection: close'));
    await eventually('the first is begun', boundMs, () => service.begun.length > 0);
    expect(service.begun).to.deep.equal(['first']);
    service.release();
    expect(statusesIn(await connection.closed())).to.deep.equal([201, 201, 201]);
    expect(service.begun).to.deep.equal(['first', 'second', 'third']);
  });

  it('runs nothing behind a rejected create with Expect: 100-continue in the same packet', async () => {
    const connection = service.connect();
    const refused = create('refused', 'Authorization: Bearer wrong', 'Expect: 100-continue');
    connection.send(refused + create('behind'));
    expect(statusesIn(await connection.closed())).to.deep.equal([401]);
    expect(service.begun).to.deep.equal([]);
  });

  it('runs nothing behind a rejected create without its body', async () => {
    const connection = service.connect();
    const refused = create('refused', 'Authorization: Bearer wrong', 'Expect: 100-continue');
    const half = refused.length - 5;
    connection.send(refused.slice(0, half));
    await connection.received(/HTTP\/1\.1 401 /);
    connection.send(refused.slice(half) + create('behind'));
    expect(statusesIn(await connection.closed())).to.deep.equal([401]);
    expect(service.begun).to.deep.equal([]);
  });

  it('runs no unanswered pipelined create during a stop', async () => {
    service.hold();
    const connection = service.connect();
    connection.send(Array.from({ length: 20 }, (_, place) => create(`animal ${place}`)).join(''));
    await eventually('the first is begun', boundMs, () => service.begun.length > 0);
    const stopped = service.stop(0);
    service.release();
    const received = await connection.closed();
    await stopped;
    expect(statusesIn(received)).to.deep.equal([201]);
    expect(service.begun).to.deep.equal(['animal 0']);
    expect(service.ended.map(({ status }) => status)).to.deep.equal([201]);
  });

  it('answers a rejected request once, whatever its body does', async () => {
    const connection = service.connect();
    connection.send(
      'POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer wrong\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    await connection.received(/"unauthorized"/);
    connection.send('zzz\r\n');
    expect(statusesIn(await connection.closed())).to.deep.equal([401]);
  });

  it('runs nothing behind a response that ends an HTTP/1.0 connection', async () => {
    const first = service.connect();
    first.send('GET /openapi.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const etag = /ETag: ("[^"]+")/.exec((await first.closed()).toString())?.[1] ?? '';
    const connection = service.connect();
    connection.send(
      `GET /openapi.json HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nIf-None-Match: ${etag}\r\n\r\n${create('behind')}`,
    );
    expect(statusesIn(await connection.closed())).to.deep.equal([304]);
    expect(service.begun).to.deep.equal([]);
  });

  it('sends a large response whole ahead of a pipelined CONNECT', async () => {
    for (let count = 0; count < 100; count += 1) {
      const connection = service.connect();
      connection.send(create('x'.repeat(30_000), 'Connection: close'));
      await connection.closed();
    }
    const connection = service.connect();
    connection.send(
      `GET /v1/pets?limit=100 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n` +
        'CONNECT a:1 HTTP/1.1\r\nHost: a\r\nX-Request-Id: of-the-connect\r\n\r\n',
    );
    const received = (await connection.closed()).toString();
    expect(statusesIn(Buffer.from(received))).to.deep.equal([200, 405]);
    expect(received.length).to.be.above(3_000_000);
    expect(received).to.contain('X-Request-Id: of-the-connect');
  });

  it('waits during a stop until a client has read its whole response', async () => {
    for (let count = 0; count < 100; count += 1) {
      const connection = service.connect();
      connection.send(create('x'.repeat(30_000), 'Connection: close'));
      await connection.closed();
    }
    const socket = connect(service.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`GET /v1/pets?limit=100 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    await once(socket, 'readable');
    const stopped = service.stop(0);
    await delay(300);
    let received = 0;
    for await (const chunk of socket) received += String(chunk).length;
    await stopped;
    expect(received).to.be.above(3_000_000);
    expect(service.ended.filter(({ status }) => status !== 201).map(({ status }) => status)).to.deep.equal([
      200,
    ]);
  });
});
