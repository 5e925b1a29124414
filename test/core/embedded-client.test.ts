import { inMemoryApiKeys } from '../../adapters/in-memory';
import { embeddedClient, openAnimalStore } from '../../core';
import { arbitraryApiKey, arbitraryKeyId } from '../contracts';
import { clientSuite } from './client-suite';

describe('The client of an embedded store', () => {
  clientSuite((pets, apiKey) => {
    const key = arbitraryApiKey();
    const { authenticate } = inMemoryApiKeys([[arbitraryKeyId(), key]]);
    const openStore = openAnimalStore({ pets, authenticate });
    return Promise.resolve({
      client: embeddedClient({ openStore, apiKey: apiKey ?? key }),
      close: () => Promise.resolve(),
    });
  });
});
