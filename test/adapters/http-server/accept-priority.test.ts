import { expect } from 'chai';
import { setImmediate as tick } from 'node:timers/promises';
import { AcceptPriority } from '../../../adapters/http-server/accept-priority';

/** Accepts a connection in each tick of the event loop until the returned function is called. */
const flood = (priority: Pick<AcceptPriority, 'accept'>): (() => void) => {
  let isGoing = true;
  const acceptOne = (): void => {
    if (!isGoing) return;
    priority.accept();
    setImmediate(acceptOne);
  };
  acceptOne();
  return () => {
    isGoing = false;
  };
};

/** Starts a request as the server does. Returns the time for which it was held. */
const heldMs = async (priority: AcceptPriority): Promise<number> => {
  if (!priority.isHolding()) return 0;
  const began = performance.now();
  await new Promise<void>((resolve) => {
    priority.hold(resolve);
  });
  return performance.now() - began;
};

describe('AcceptPriority', () => {
  it('holds no request while no connection arrives', () => {
    expect(new AcceptPriority().isHolding()).to.equal(false);
  });

  it('holds requests until a tick accepts no connection, and starts them in order', async () => {
    const priority = new AcceptPriority();
    const end = flood(priority);
    const started: Array<number> = [];
    for (const request of [1, 2, 3]) {
      expect(priority.isHolding()).to.equal(true);
      priority.hold(() => started.push(request));
    }
    for (let ticks = 0; ticks < 10; ticks += 1) await tick();
    expect(started).to.deep.equal([]);
    end();
    for (let ticks = 0; ticks < 5; ticks += 1) await tick();
    expect(started).to.deep.equal([1, 2, 3]);
    expect(priority.isHolding()).to.equal(false);
  });

  it('leaves requests at least 40 % of the time in a flood of connections', async () => {
    const priority = new AcceptPriority();
    const end = flood(priority);
    const floodMs = 3_000;
    const began = performance.now();
    const holds: Array<number> = [];
    while (performance.now() - began < floodMs) {
      const held = await heldMs(priority);
      if (held > 0) holds.push(held);
      await tick();
    }
    end();
    const allHeldMs = holds.reduce((sum, held) => sum + held, 0);
    expect(holds.length).to.be.above(1);
    expect(allHeldMs).to.be.below(0.6 * (performance.now() - began));
  });

  it('holds no request for longer than a second, nor while more than 4,100 connections arrive', async () => {
    const priority = new AcceptPriority();
    let accepted = 0;
    const end = flood({
      accept: () => {
        priority.accept();
        accepted += 1;
      },
    });
    const held = await heldMs(priority);
    end();
    expect(accepted).to.be.within(10, 4_100);
    expect(held).to.be.within(1, 1_100);
  });
});
