import { expect } from 'chai';
import { petOperations } from '../../../../adapters/http';
import { petRoutes } from '../../../../adapters/http/routes/pet-routes';
import { inMemoryApiKeys, inMemoryPetRepository } from '../../../../adapters/in-memory';
import { openAnimalStore } from '../../../../core';

describe('The operations that metrics know from the start', () => {
  it('are those that have a route under /v1', () => {
    const { authenticate } = inMemoryApiKeys();
    const { routes } = petRoutes(openAnimalStore({ pets: inMemoryPetRepository(), authenticate }), undefined);
    expect(petOperations.map(({ method, route }) => [method, route])).to.have.deep.members(
      routes.map(({ method, path }) => [method, path]),
    );
  });
});
