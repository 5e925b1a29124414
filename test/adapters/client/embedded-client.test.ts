import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { mock } from 'node:test';
import { embeddedClient } from '../../../adapters/client';
import { inMemoryApiKeys } from '../../../adapters/in-memory';
import { storeOpener, unavailable } from '../../../core';
import { arbitraryApiKey, arbitraryKeyId } from '../../contracts';
import { clientSuite } from './client-suite';

describe('The client of an embedded store', () => {
  clientSuite(async (pets, options) => {
    const key = arbitraryApiKey();
    const { authenticate } = inMemoryApiKeys([[arbitraryKeyId(), key]]);
    const openStore = storeOpener({ pets, authenticate });
    const client = embeddedClient({ openStore, apiKey: key, ...options });
    return Promise.resolve({ client, close: () => Promise.resolve() });
  });

  it('gives the store a later deadline than its own, so that a call fails with its timeout', async () => {
    mock.method(performance, 'now', () => 1_000);
    const deadlines: Array<unknown> = [];
    const client = embeddedClient({
      openStore: (_key, deadline) => {
        deadlines.push(deadline);
        return () => Promise.resolve(E.left(unavailable('down')));
      },
      apiKey: arbitraryApiKey(),
      timeoutMs: 100,
      retryForMs: 0,
    });
    await client.get(1n).catch(() => undefined);
    mock.reset();
    expect(deadlines).to.deep.equal([1_150]);
  });
});
