import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { mock } from 'node:test';
import { requestLimits } from '../../../../adapters/http/message/limits';
import { RequestDeadline, RequestRecord } from '../../../../adapters/http/operations/request-record';
import { fakeTimeouts } from '../../../support/fake-timers';

describe('A request whose body has not arrived', () => {
  it('gets timers of finite length, the last of which is set when the body arrives, and cleared at the end', async () => {
    fakeTimeouts();
    const set = mock.method(globalThis, 'setTimeout');
    const cleared = mock.method(globalThis, 'clearTimeout');
    const startedAt = Math.round(performance.now());
    const deadline = new RequestDeadline(startedAt);
    const timeBeforeMs = 1_000;
    mock.method(performance, 'now', () => startedAt + timeBeforeMs);
    const reply = E.right({ status: 201, headers: {}, body: '' });
    let arrive = (_reply: typeof reply): void => undefined;
    const outcome = deadline.endInTime(deadline.pauseUntil(new Promise((resolve) => (arrive = resolve))));
    mock.timers.tick(requestLimits.responseMs);
    arrive(reply);
    expect(await outcome).to.equal(reply);
    const [first, second, ...others] = set.mock.calls.map(({ arguments: [, delayMs] }) => delayMs);
    expect([first, others]).to.deep.equal([requestLimits.responseMs, []]);
    // The time before the wait for the body still counts.
    expect(second).to.be.within(1, requestLimits.responseMs - timeBeforeMs);
    expect(cleared.mock.callCount()).to.equal(1);
    mock.reset();
  });
});

describe('A request that the server has held', () => {
  it('gets a 503 by the deadline, counted from its arrival', async () => {
    fakeTimeouts();
    let now = 10_000;
    mock.method(performance, 'now', () => now);
    const heldMs = 1_500;
    const record = new RequestRecord(undefined, heldMs);
    const outcome = record.deadline.endInTime(new Promise(() => undefined));
    const leftMs = requestLimits.responseMs - heldMs;
    now += leftMs;
    mock.timers.tick(leftMs);
    expect(await Promise.race([outcome, Promise.resolve(undefined)])).to.have.nested.property(
      'left._tag',
      'Unavailable',
    );
    expect(now - record.startedAt).to.equal(requestLimits.responseMs);
    mock.reset();
  });
});
