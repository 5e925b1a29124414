import { expect } from 'chai';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import {
  type Admission,
  createBulkheads,
  type Entrant,
  turnThrottle,
} from '../../../adapters/http-server/admission';

const createAdmission = (maxInFlight: number, maxWaitMs: number): Admission =>
  createBulkheads(maxInFlight, maxWaitMs).reads;

let now = 0;

const ignore = (): void => undefined;

const entrant = (changes: Partial<Entrant> = {}): Entrant => ({
  arrivedAt: now,
  isPending: () => true,
  admit: ignore,
  shed: ignore,
  ...changes,
});

/** Returns a function that enters requests and records the outcome of each. */
const entering = (admission: Admission) => {
  const outcomes: Array<string> = [];
  const enter = (changes: Partial<Entrant> = {}): string => {
    const place = outcomes.push('') - 1;
    const outcome = admission.enter(
      entrant({
        admit: () => (outcomes[place] = 'admitted'),
        shed: () => (outcomes[place] = 'shed'),
        ...changes,
      }),
    );
    outcomes[place] = outcome;
    return outcome;
  };
  return { outcomes, enter, count: (outcome: string) => outcomes.filter((each) => each === outcome).length };
};

describe('Admission', () => {
  beforeEach(() => {
    now = 0;
    mock.method(performance, 'now', () => now);
  });
  afterEach(() => {
    mock.restoreAll();
  });

  it('admits while there are slots, and queues the next in order', () => {
    const { enter, leave } = createAdmission(2, 1_000);
    const order: Array<number> = [];
    for (const place of [1, 2, 3, 4, 5]) {
      const outcome = enter(entrant({ admit: () => order.push(place) }));
      expect(outcome).to.equal(place <= 2 ? 'admitted' : 'queued');
    }
    expect(order).to.deep.equal([]);
    for (let count = 0; count < 3; count += 1) leave();
    expect(order).to.deep.equal([3, 4, 5]);
  });

  it('skips requests that are already answered', () => {
    const admission = createAdmission(1, 1_000);
    const { outcomes, enter } = entering(admission);
    enter();
    enter({ isPending: () => false });
    enter();
    admission.leave();
    expect(outcomes).to.deep.equal(['admitted', 'queued', 'admitted']);
  });

  it('sheds no request while the store answers in large, rare batches', () => {
    const { enter, leave } = createAdmission(128, 5_000);
    let inFlight = 0;
    const outcomes: Array<string> = [];
    for (let count = 0; count < 900; count += 1) {
      now = count;
      if (count % 2 === 0) {
        const outcome = enter(entrant({ admit: () => (inFlight += 1) }));
        if (outcome === 'admitted') inFlight += 1;
        outcomes.push(outcome);
      }
      if (count % 150 === 149) {
        const done = inFlight;
        inFlight = 0;
        for (let each = 0; each < done; each += 1) leave();
      }
    }
    expect(outcomes).to.not.include('shed');
  });

  it('sheds no request while the store stalls for a third of a second', () => {
    const { enter, leave } = createAdmission(10, 1_000);
    let [inFlight, done, shed] = [0, 0, 0];
    const ask = (): void => {
      const outcome = enter(entrant({ admit: () => (inFlight += 1) }));
      if (outcome === 'admitted') inFlight += 1;
      if (outcome === 'shed') shed += 1;
    };
    for (let client = 0; client < 400; client += 1) ask();
    for (now = 0; now < 2_500; now += 5) {
      if (now > 1_300 && now < 1_630) continue;
      const due = now < 1_630 ? now : now - 330;
      for (; done < due && inFlight > 0; done += 1) {
        inFlight -= 1;
        leave();
        ask();
      }
    }
    expect(done).to.be.above(2_000);
    expect(shed).to.equal(0);
  });

  it('sheds new requests once the store has stalled for the maximum wait', () => {
    const { enter, count } = entering(createAdmission(1, 100));
    expect([enter(), enter()]).to.deep.equal(['admitted', 'queued']);
    now = 150;
    for (let each = 0; each < 300; each += 1) expect(enter()).to.equal('shed');
    now = 450;
    expect(enter()).to.equal('shed');
    expect(count('admitted')).to.equal(1);
  });

  it('sheds the queued requests that would wait for much too long, and no others', () => {
    const admission = createAdmission(1, 400);
    const { outcomes, enter, count } = entering(admission);
    for (let each = 0; each < 1_001; each += 1) expect(enter()).to.not.equal('shed');
    for (now = 5; now <= 450; now += 5) admission.leave();
    expect(enter(), 'a new request').to.equal('shed');
    expect(outcomes[1_000], 'the last in the queue').to.equal('shed');
    const before = count('admitted');
    for (; now <= 550; now += 5) admission.leave();
    expect(count('admitted'), 'admitted from the rest of the queue').to.be.above(before);
  });

  it('sheds a request behind ten thousand queued ones', () => {
    const { enter, count } = entering(createAdmission(1, 60_000));
    for (let each = 0; each < 10_002; each += 1) enter();
    expect(count('shed')).to.equal(1);
  });

  it('limits queued reads and writes together, and sheds from the longer queue', () => {
    const { reads, writes } = createBulkheads(1, 60_000);
    const [ofReads, ofWrites] = [entering(reads), entering(writes)];
    for (let each = 0; each < 10_001; each += 1) ofWrites.enter();
    expect(ofWrites.count('queued')).to.equal(10_000);
    for (let each = 0; each < 6_001; each += 1) ofReads.enter();
    expect([ofReads.count('queued'), ofWrites.count('queued')]).to.deep.equal([5_000, 5_000]);
    expect([ofReads.outcomes[5_000], ofReads.outcomes[5_001]], 'the first come').to.deep.equal([
      'queued',
      'shed',
    ]);
    expect([ofWrites.outcomes[5_000], ofWrites.outcomes[5_001]]).to.deep.equal(['queued', 'shed']);
  });

  it('does not shed a request that is already answered', () => {
    const { outcomes, enter } = entering(createAdmission(1, 100));
    enter();
    enter();
    enter({ isPending: () => false });
    enter();
    now = 450;
    enter();
    expect(outcomes).to.deep.equal(['admitted', 'queued', 'queued', 'shed', 'shed']);
  });

  it('admits a paused request before later ones, and never sheds it', () => {
    const { enter, pause, reenter, leave } = createAdmission(1, 1_000);
    const order: Array<string> = [];
    const named = (name: string) => entrant({ admit: () => order.push(name) });
    enter(named('first'));
    enter(named('later'));
    enter(named('last'));
    pause();
    reenter(named('first again'));
    leave();
    leave();
    expect(order).to.deep.equal(['later', 'first again', 'last']);
  });
});

describe('turnThrottle', () => {
  it('runs all tasks in order, with other work between them', async () => {
    const many = 1_000;
    const throttle = turnThrottle(16);
    const done: Array<number> = [];
    for (let task = 0; task < many; task += 1) throttle(() => done.push(task));
    expect(done).to.deep.equal([]);
    const seen: Array<number> = [];
    while (done.length < many) {
      await turn();
      seen.push(done.length);
    }
    expect(done).to.deep.equal(Array.from({ length: many }, (_, task) => task));
    const perTurn = seen.map((count, place) => count - (seen[place - 1] ?? 0));
    expect(Math.max(...perTurn)).to.be.at.most(32);
  });

  it('starts again after a pause', async () => {
    const throttle = turnThrottle(1);
    await new Promise<void>((resolve) => {
      throttle(resolve);
    });
    await turn();
    await new Promise<void>((resolve) => {
      throttle(resolve);
    });
  });
});
