import Koa from 'koa';
import { createServer } from 'node:http';
import { mountPetRoutes } from '../../../adapters/http';
import { inMemoryPetRepository } from '../../../adapters/in-memory';
import { ApiKey, callerOf, decodeOrThrow, KeyId, openAnimalStore, OwnerId } from '../../../core';
import { idempotencyExpiryContract, type OpenPetRepository, petRepositoryContract } from '../../contracts';
import type { BasicRepository } from '../../contracts/pet-repository/open-pet-repository';
import { losingProxy, resettingProxy } from '../../support/http/proxies';
import { type Listening, listenOn } from '../../support/http/listen';
import { remoteRepository } from './remote-repository';

const keyOf = (owner = 'nobody'): ApiKey =>
  decodeOrThrow(ApiKey, `k${Buffer.from(owner).toString('base64url')}`);

const ownerOf = (key: ApiKey): OwnerId =>
  decodeOrThrow(OwnerId, Buffer.from(key.slice(1), 'base64url').toString());

/** Opens a remote store over a repository in memory, behind a proxy if there is one. */
const openThrough =
  (proxyTo?: (address: string) => Promise<Listening>): OpenPetRepository<BasicRepository> =>
  async (options) => {
    const app = new Koa();
    app.silent = true;
    const openStore = openAnimalStore({
      pets: inMemoryPetRepository(options),
      authenticate: (key) => () =>
        Promise.resolve({ _tag: 'Right', right: callerOf(decodeOrThrow(KeyId, key), ownerOf(key)) }),
    });
    mountPetRoutes(app, openStore);
    const answer = app.callback();
    const server = await listenOn(
      createServer((request, response) => {
        answer(request, response).catch(() => undefined);
      }),
    );
    const proxy = await proxyTo?.(server.address);
    return {
      repository: remoteRepository({
        baseUrl: (proxy ?? server).address,
        keyOf,
        isLossy: proxy !== undefined,
        pets: options.pets,
      }),
      close: async () => {
        await proxy?.close();
        await server.close();
      },
    };
  };

/** Takes away the pauses between attempts, which are random. */
const withoutPauses = (): void => {
  const { random } = Math;
  before(() => {
    Math.random = () => 0;
  });
  after(() => {
    Math.random = random;
  });
};

describe('A store over HTTP, in this process', () => {
  petRepositoryContract({ describe, it }, openThrough());
  idempotencyExpiryContract({ describe, it }, openThrough());
});

describe('A store over HTTP, behind a proxy that loses every fourth answer', () => {
  withoutPauses();
  petRepositoryContract({ describe, it }, openThrough(losingProxy));
});

describe('A store over HTTP, behind a proxy that resets every connection', () => {
  withoutPauses();
  petRepositoryContract({ describe, it }, openThrough(resettingProxy));
});
