import { embeddedClient } from '../../../adapters/client';
import { inMemoryApiKeys } from '../../../adapters/in-memory';
import { openAnimalStore } from '../../../core';
import { arbitraryApiKey, arbitraryKeyId } from '../../contracts';
import { clientSuite } from './client-suite';

describe('The client of an embedded store', () => {
  clientSuite(async (pets, options) => {
    const key = arbitraryApiKey();
    const { authenticate } = inMemoryApiKeys([[arbitraryKeyId(), key]]);
    const openStore = openAnimalStore({ pets, authenticate });
    const client = embeddedClient({ openStore, apiKey: key, ...options });
    return Promise.resolve({ client, close: () => Promise.resolve() });
  });
});
