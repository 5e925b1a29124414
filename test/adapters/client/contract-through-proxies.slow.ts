import { petRepositoryContract } from '../../contracts';
import { losingProxy, resettingProxy } from '../../support/http/proxies';
import { openThrough } from './remote-repository';

/** Removes the random pauses between the client's attempts, so that the tests are fast. */
const withoutPauses = (): void => {
  const { random } = Math;
  before(() => {
    Math.random = () => 0;
  });
  after(() => {
    Math.random = random;
  });
};

describe('A store over HTTP, behind a proxy that loses every fourth answer', () => {
  withoutPauses();
  petRepositoryContract({ describe, it }, openThrough(losingProxy));
});

describe('A store over HTTP, behind a proxy that resets every connection', () => {
  withoutPauses();
  petRepositoryContract({ describe, it }, openThrough(resettingProxy));
});
