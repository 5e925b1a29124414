import Koa from 'koa';
import { createServer } from 'node:http';
import { mountPetRoutes } from '../../../adapters/http';
import { animalStoreClient } from '../../../adapters/http-client';
import { inMemoryApiKeys } from '../../../adapters/in-memory';
import { openAnimalStore } from '../../../core';
import { arbitraryApiKey, arbitraryKeyId } from '../../contracts';
import { clientSuite } from '../../core/client-suite';
import { listenOn } from '../../support/http/listen';

describe('The client over HTTP', () => {
  clientSuite(async (pets, apiKey) => {
    const key = arbitraryApiKey();
    const { authenticate } = inMemoryApiKeys([[arbitraryKeyId(), key]]);
    const app = new Koa();
    app.silent = true;
    mountPetRoutes(app, openAnimalStore({ pets, authenticate }));
    const answer = app.callback();
    const { address, close } = await listenOn(
      createServer((request, response) => {
        answer(request, response).catch(() => undefined);
      }),
    );
    return { client: animalStoreClient({ baseUrl: address, apiKey: apiKey ?? key }), close };
  });
});
