import { expect } from 'chai';
import { openApiDocument, petOperations } from '../../../../adapters/http';
import { petRoutes } from '../../../../adapters/http/routes/pet-routes';
import { inMemoryApiKeys, inMemoryPetRepository } from '../../../../adapters/in-memory';
import { openAnimalStore } from '../../../../core';

const { authenticate } = inMemoryApiKeys();
const { routes } = petRoutes(openAnimalStore({ pets: inMemoryPetRepository(), authenticate }), undefined);
const routed = routes.map(({ method, path }) => `${method} ${path}`);

describe('The operations that have a route under /v1', () => {
  it('are those that metrics know from the start', () => {
    expect(petOperations.map(({ method, route }) => `${method} ${route}`)).to.have.members(routed);
  });

  it('are those of the OpenAPI document', () => {
    const documented = Object.entries(openApiDocument.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} /v1${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(documented).to.have.members(routed);
  });
});
