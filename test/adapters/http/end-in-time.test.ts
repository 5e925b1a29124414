import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { mock } from 'node:test';
import { endInTime } from '../../../adapters/http/end-in-time';
import { maxResponseMs, RequestRecord } from '../../../adapters/http/request-record';
import { fakeTimeouts } from '../../support/fake-timers';

describe('A request whose body has not arrived', () => {
  it('sets timers of finite length, and clears the last one when it ends', async () => {
    fakeTimeouts();
    const set = mock.method(globalThis, 'setTimeout');
    const cleared = mock.method(globalThis, 'clearTimeout');
    const record = new RequestRecord(undefined);
    record.deadline = Infinity;
    let end = (_outcome: E.Either<never, string>): void => undefined;
    const outcome = endInTime<string>(() => new Promise((resolve) => (end = resolve)), record);
    mock.timers.tick(maxResponseMs);
    end(E.right('done'));
    expect(await outcome).to.deep.equal(E.right('done'));
    expect(set.mock.calls.map(({ arguments: [, delayMs] }) => delayMs)).to.deep.equal([
      maxResponseMs,
      maxResponseMs,
    ]);
    expect(cleared.mock.callCount()).to.equal(1);
    mock.reset();
  });
});
