import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { validateRequestHead } from '../../../../adapters/http/application/validate-request-head';

const isTaken = (target: string): boolean => {
  const message = new IncomingMessage(new Socket());
  Object.assign(message, {
    url: target,
    httpVersion: '1.1',
    httpVersionMajor: 1,
    rawHeaders: ['Host', 'a'],
    headers: { host: 'a' },
  });
  return E.isRight(validateRequestHead(message));
};

describe('A request target', () => {
  it('is refused for any character that no address has, whatever the parser lets through', () => {
    const characters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
    const taken = characters.filter((character) => isTaken(`/v1/pets${character}`));
    expect(taken.join(''))
      .to.match(/^[!-~]{93}$/)
      .and.not.contain('#');
    for (const target of ['//%@x/\xa0', '/v1\\pets\xa0', 'http://a/v1/pets\t']) {
      expect(isTaken(target), target).to.equal(false);
    }
  });
});
