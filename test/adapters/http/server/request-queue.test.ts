import { expect } from 'chai';
import { setImmediate as tick } from 'node:timers/promises';
import { mock } from 'node:test';
import { RequestQueue } from '../../../../adapters/http/server/request-queue';

/** Time that each tick of the event loop takes in these tests. */
const tickMs = 10;

describe('RequestQueue', () => {
  let now: number;
  let queue: RequestQueue;
  let started: ReadonlyArray<number>;

  beforeEach(() => {
    now = 0;
    mock.method(performance, 'now', () => now);
    queue = new RequestQueue();
    started = [];
  });
  afterEach(() => {
    mock.reset();
  });

  /** Starts or holds a request, as the server does. Records when the request starts. */
  const request = (): void => {
    const start = (): void => {
      started = [...started, now];
    };
    if (queue.tryBegin()) start();
    else queue.hold(start);
  };

  /** Lets some ticks pass. In a flood, each tick accepts a connection. */
  const pass = async (ticks: number, isFlood: boolean, duration = tickMs): Promise<void> => {
    for (let passed = 0; passed < ticks; passed += 1) {
      if (isFlood) queue.acceptHold.connectionAccepted();
      await tick();
      now += duration;
    }
  };

  it('holds no request while no connection arrives', () => {
    request();
    expect(started).to.deep.equal([0]);
  });

  it('holds requests until a tick accepts no connection', async () => {
    queue.acceptHold.connectionAccepted();
    request();
    await pass(20, true);
    request();
    expect(started).to.deep.equal([]);
    await pass(2, false);
    expect(started).to.have.length(2);
    request();
    expect(started).to.have.length(3);
  });

  it('holds requests during a pause, even if no connection arrives', async () => {
    queue.pause();
    request();
    await pass(20, false);
    expect(started).to.deep.equal([]);
    queue.resume();
    await pass(1, false);
    expect(started).to.have.length(1);
    request();
    expect(started).to.have.length(2);
  });

  it('starts held requests in order', async () => {
    const order: Array<string> = [];
    queue.acceptHold.connectionAccepted();
    for (const name of ['first', 'second', 'third']) queue.hold(() => order.push(name));
    await pass(3, false);
    expect(order).to.deep.equal(['first', 'second', 'third']);
  });

  it('holds a request for a second, and then holds none for as long', async () => {
    queue.acceptHold.connectionAccepted();
    request();
    await pass(99, true);
    expect(started).to.deep.equal([]);
    await pass(3, true);
    expect(started).to.have.length(1);
    const releasedAt = started[0] ?? NaN;
    expect(releasedAt).to.be.within(1_000, 1_000 + 2 * tickMs);
    while (now < releasedAt + 990) {
      await pass(1, true);
      request();
    }
    expect(started.slice(1)).to.have.length.above(90);
    const before = started.length;
    await pass(3, true);
    request();
    expect(started).to.have.length(before);
  });

  it('holds a request while at most 4,096 connections arrive', async () => {
    queue.acceptHold.connectionAccepted();
    request();
    await pass(4_090, true, 0.01);
    expect(started).to.deep.equal([]);
    await pass(10, true, 0.01);
    expect(started).to.have.length(1);
  });

  it('begins at most 256 requests in a tick of the event loop, in order', async () => {
    const order: Array<number> = [];
    for (let number = 0; number < 600; number += 1) {
      const start = () => order.push(number);
      if (queue.tryBegin()) start();
      else queue.hold(start);
    }
    for (const begun of [256, 512, 600, 600]) {
      expect(order).to.deep.equal([...Array(begun).keys()]);
      await tick();
    }
  });
});
