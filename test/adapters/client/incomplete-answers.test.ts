import { expect } from 'chai';
import { createServer } from 'node:http';
import { animalStoreClient } from '../../../adapters/client';
import { listenOn } from '../../support/http/listen';
import { against, type Answer, answer, once, rex, stored } from './answering-server';

describe('An answer to the client', () => {
  it('that stops halfway is cut off', async () => {
    const halfway: Answer = (response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('[');
    };
    const limits = { timeoutMs: 100, retryForMs: 0 };
    const { outcome } = await against([halfway], (client) => client.get(1n, limits));
    expect(outcome).to.include({ code: 'timeout' });
  });

  it('that is cut short is a network error, after which a create is repeated with its key', async () => {
    const cut: Answer = (response) => {
      response.writeHead(201, { 'Content-Length': '100' });
      response.write('{"id":1');
      setTimeout(() => response.destroy(), 20);
    };
    const { outcome, requests } = await against(
      [cut, (response) => response.destroy(), answer(201, stored)],
      (client) => client.create(rex),
    );
    expect(outcome).to.have.property('id', 1n);
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).to.equal(1);
    expect(requests).to.have.lengthOf(3);
  });

  it('does not come where nobody listens', async () => {
    const { address, close } = await listenOn(createServer());
    await close();
    const client = animalStoreClient({ baseUrl: address, apiKey: 'k1' });
    const error: unknown = await client.get(1n, once).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'network' });
    expect(error).to.have.property('message').that.includes('ECONNREFUSED');
  });

  it('without an end is cut off', async () => {
    const endless: Answer = (response) => {
      response.writeHead(200);
      const more = (): void => {
        while (response.write('['.repeat(65_536)));
      };
      response.on('drain', more).on('error', () => undefined);
      more();
    };
    const { outcome } = await against([endless], (client) => client.page());
    expect(outcome).to.include({ code: 'unexpected_response', attempts: 1 });
    expect(outcome).to.have.property('message').that.includes('the body has more than');
  });

  it('without an end is cancelled, also if it comes from a function that ignores signals', async () => {
    let isCancelled = false;
    const body = new ReadableStream({
      pull: (controller) => {
        controller.enqueue(new Uint8Array(65_536).fill(0x5b));
      },
      cancel: () => {
        isCancelled = true;
      },
    });
    const fetch = () => Promise.resolve(new Response(body));
    const client = animalStoreClient({ baseUrl: 'http://store', apiKey: 'k1', fetch });
    await client.page().catch(() => undefined);
    expect(isCancelled).to.equal(true);
  });
});
