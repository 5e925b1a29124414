import { expect } from 'chai';
import type { ServedRequest } from '../../../../adapters/http/message/request';
import { startPlainServer, stopPlainServers } from '../../../support/http/plain-server';
import { getRequest } from '../../../support/http/raw-connection';

describe('Requests that the server holds while clients connect', () => {
  afterEach(stopPlainServers);

  it('carry the time of the hold, later requests of their connections do not', async () => {
    let heldMs: Array<number> = [];
    const server = await startPlainServer((request: ServedRequest, response) => {
      heldMs.push(request.heldMs ?? 0);
      response.end(request.url);
    });
    const startedAt = performance.now();
    const connections = Array.from({ length: 300 }, () => server.connect());
    for (const { send } of connections) send(getRequest('/first'));
    await Promise.all(connections.map(({ received }) => received(/\/first/)));
    expect(Math.max(...heldMs)).to.be.within(1, performance.now() - startedAt);
    heldMs = [];
    for (const { send, received } of connections.slice(0, 3)) {
      send(getRequest('/second'));
      await received(/\/second/);
    }
    expect(heldMs).to.deep.equal([0, 0, 0]);
  });
});
