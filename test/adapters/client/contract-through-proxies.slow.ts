import { petRepositoryContract } from '../../contracts';
import { resettingProxy } from '../../support/http/proxies';
import { openThrough } from './remote-repository';

describe('A store over HTTP, behind a proxy that resets every connection', () => {
  // Without the random pauses between the attempts of the client, the tests are fast.
  const { random } = Math;
  before(() => {
    Math.random = () => 0;
  });
  after(() => {
    Math.random = random;
  });

  petRepositoryContract({ describe, it }, openThrough(resettingProxy));
});
