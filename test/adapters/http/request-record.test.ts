import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { mock } from 'node:test';
import { maxResponseMs, RequestRecord } from '../../../adapters/http/request-record';
import { fakeTimeouts } from '../../support/fake-timers';

describe('A request whose body has not arrived', () => {
  it('sets timers of finite length, and clears the last one when it ends', async () => {
    fakeTimeouts();
    const set = mock.method(globalThis, 'setTimeout');
    const cleared = mock.method(globalThis, 'clearTimeout');
    const record = new RequestRecord(undefined);
    const reply = E.right({ status: 201, headers: {}, body: '' });
    let arrive = (_reply: typeof reply): void => undefined;
    const outcome = record.endInTime(record.untilArrived(new Promise((resolve) => (arrive = resolve))));
    mock.timers.tick(maxResponseMs);
    arrive(reply);
    expect(await outcome).to.equal(reply);
    expect(set.mock.calls.map(({ arguments: [, delayMs] }) => delayMs)).to.deep.equal([
      maxResponseMs,
      maxResponseMs,
    ]);
    expect(cleared.mock.callCount()).to.equal(1);
    mock.reset();
  });
});
