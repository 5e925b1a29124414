import { expect } from 'chai';
import { mock } from 'node:test';
import { AsyncLocalStorage } from 'node:async_hooks';
import { IncomingMessage, Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { startPlainServer, stopPlainServers } from '../../support/http/plain-server';
import { getRequest, postRequest } from '../../support/http/raw-connection';

/** Target of the request that the tracer of a test follows. */
const traced = new AsyncLocalStorage<string | undefined>();

/** Traces requests as OpenTelemetry does: runs the server's `request` event in an async context. */
const traceRequests = (): void => {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- It is called with its server.
  const { emit } = Server.prototype;
  mock.method(
    Server.prototype,
    'emit',
    function (this: Server, event: string, ...args: ReadonlyArray<unknown>) {
      const [request] = args;
      const run = (): unknown => Reflect.apply(emit, this, [event, ...args]);
      return event === 'request' && request instanceof IncomingMessage ? traced.run(request.url, run) : run();
    },
  );
};

describe('The async context of a request', () => {
  beforeEach(traceRequests);
  afterEach(() => {
    mock.restoreAll();
    return stopPlainServers();
  });

  it('is that of its arrival, also behind a pipelined request and after its body', async () => {
    const seen: Array<readonly [target: string | undefined, context: string | undefined]> = [];
    const { connect } = await startPlainServer(async (request, response) => {
      seen.push([request.url, traced.getStore()]);
      await delay(10);
      await text(request);
      seen.push([request.url, traced.getStore()]);
      response.end('well');
    });
    const connections = ['a', 'b', 'c'].map((name) => {
      const connection = connect();
      connection.send(
        postRequest(`/${name}/1`, 'body') + getRequest(`/${name}/2`) + getRequest(`/${name}/3`),
      );
      return connection;
    });
    await Promise.all(connections.map(({ received }) => received(/(?:HTTP\/1\.1 200[^]*){3}/)));
    for (const { destroy } of connections) destroy();
    expect(seen).to.have.lengthOf(18);
    for (const [target, context] of seen) expect(context).to.equal(target);
  });
});
