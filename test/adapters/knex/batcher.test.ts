import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { createBatcher } from '../../../adapters/knex/batcher';
import type { RunBatch } from '../../../adapters/knex/batcher';
import { oneAtATime } from '../../../adapters/knex/pets/read';
import { unavailable } from '../../../core';

interface Batch {
  readonly keys: ReadonlyArray<string>;
  readonly answer: () => void;
  readonly fail: (error: Error) => void;
}

/** Makes a batcher whose batches end when the test says so. The result of a key is the key in capitals. */
const batcher = ({
  maxBatches = 1,
  timeoutMs = 5_000,
  groupOf = (_key: string): string => '',
  wrap = (runBatch: RunBatch<string, never, string>) => runBatch,
} = {}) => {
  const batches: Array<Batch> = [];
  const load = createBatcher<string, never, string>({
    maxBatches,
    groupOf,
    timeoutMs,
    runBatch: wrap(
      (keys) =>
        new Promise((resolve, reject) => {
          const answerOf = (key: string) =>
            key === 'bad' ? E.left(unavailable('bad')) : E.right(key.toUpperCase());
          batches.push({
            keys,
            fail: reject,
            answer: () => {
              resolve(keys.map(answerOf));
            },
          });
        }),
    ),
  });
  const call = async (key: string, deadline?: number): Promise<string> => {
    const result = await load(key, deadline)();
    if (E.isLeft(result)) throw result.left.cause;
    return result.right;
  };
  const begun = async (count: number): Promise<Batch> => {
    for (let turns = 0; turns < 1_000; turns += 1) {
      const batch = batches[count - 1];
      if (batch !== undefined) return batch;
      await nextTurn();
    }
    throw new Error(`batch ${count} did not begin`);
  };
  return { call, begun, keys: () => batches.map(({ keys }) => keys) };
};

const someTurns = async (): Promise<void> => {
  for (let turns = 0; turns < 10; turns += 1) await nextTurn();
};

const outcomeOf = (call: Promise<string>): Promise<string> =>
  call.catch((error: unknown) => (error instanceof Error ? error.message : 'no error'));

const tooSlow = 'the database did not answer within 500 ms';
const tooBusy = 'the database was too busy to start the query in time';

describe('A batcher', () => {
  it('runs a call that finds it idle in the next turn of the event loop, without waiting for others', async () => {
    const { call, begun, keys } = batcher();
    const answer = call('a');
    await nextTurn();
    expect(keys()).to.deep.equal([['a']]);
    (await begun(1)).answer();
    expect(await answer).to.equal('A');
  });

  it('runs the calls of one turn of the event loop together', async () => {
    const { call, begun, keys } = batcher();
    const answers = ['a', 'b', 'c'].map(async (key) => {
      await Promise.resolve();
      return call(key);
    });
    (await begun(1)).answer();
    expect(await Promise.all(answers)).to.deep.equal(['A', 'B', 'C']);
    expect(keys()).to.deep.equal([['a', 'b', 'c']]);
  });

  it('gathers what comes while a batch runs into the next, and answers each in its place', async () => {
    const { call, begun, keys } = batcher();
    const first = call('a');
    const running = await begun(1);
    const later = [call('b'), call('c'), call('d')];
    await someTurns();
    expect(keys()).to.deep.equal([['a']]);
    running.answer();
    (await begun(2)).answer();
    expect(await Promise.all([first, ...later])).to.deep.equal(['A', 'B', 'C', 'D']);
    expect(keys()).to.deep.equal([['a'], ['b', 'c', 'd']]);
  });

  it('never lets a call join a batch that began before it, though it asks for the same', async () => {
    const { call, begun, keys } = batcher();
    const first = call('a');
    const running = await begun(1);
    const second = call('a');
    running.answer();
    await first;
    (await begun(2)).answer();
    await second;
    expect(keys()).to.deep.equal([['a'], ['a']]);
  });

  it('makes no batch larger than it may be', async () => {
    const { call, begun, keys } = batcher();
    const answers = Promise.all(Array.from({ length: 801 }, (_, place) => call(`a${place}`)));
    for (const count of [1, 2, 3]) (await begun(count)).answer();
    expect(await answers).to.deep.equal(Array.from({ length: 801 }, (_, place) => `A${place}`));
    expect(keys().map(({ length }) => length)).to.deep.equal([400, 400, 1]);
  });

  it('batches calls of the same group, those of the oldest call first', async () => {
    const { call, begun, keys } = batcher({ groupOf: (key) => key.charAt(0) });
    const answers = ['a1', 'b1', 'a2', 'c1', 'b2'].map((key) => call(key));
    for (const batch of [1, 2, 3]) (await begun(batch)).answer();
    expect(await Promise.all(answers)).to.deep.equal(['A1', 'B1', 'A2', 'C1', 'B2']);
    expect(keys()).to.deep.equal([['a1', 'a2'], ['b1', 'b2'], ['c1']]);
  });

  it('goes on after a batch that failed as a whole', async () => {
    const { call, begun } = batcher();
    const failed = outcomeOf(call('a'));
    const running = await begun(1);
    const next = call('b');
    running.fail(new Error('gone'));
    (await begun(2)).answer();
    expect([await failed, await next]).to.deep.equal(['gone', 'B']);
  });
});

describe('A batcher with several slots', () => {
  it('begins a batch while another one is slow, up to its maxBatches', async () => {
    const { call, begun, keys } = batcher({ maxBatches: 2 });
    const slow = call('a');
    const first = await begun(1);
    const quick = call('b');
    const second = await begun(2);
    const waiting = [call('c'), call('d')];
    await someTurns();
    expect(keys()).to.deep.equal([['a'], ['b']]);
    second.answer();
    expect(await quick).to.equal('B');
    (await begun(3)).answer();
    expect(await Promise.all(waiting)).to.deep.equal(['C', 'D']);
    first.answer();
    expect(await slow).to.equal('A');
    expect(keys()).to.deep.equal([['a'], ['b'], ['c', 'd']]);
  });
});

describe('A batcher when the database is slow', () => {
  it('gives up on a call that waited too long, and does not run it any more', async () => {
    const { call, begun, keys } = batcher({ timeoutMs: 500 });
    const first = outcomeOf(call('a'));
    const running = await begun(1);
    const waiting = outcomeOf(call('b'));
    expect([await first, await waiting]).to.deep.equal([tooSlow, tooBusy]);
    const patient = call('c');
    running.answer();
    (await begun(2)).answer();
    expect(await patient).to.equal('C');
    expect(keys()).to.deep.equal([['a'], ['c']]);
  });

  it('tells a call at once that comes too late to begin, and does not run it', async () => {
    const { call, keys } = batcher();
    const began = performance.now();
    expect(await outcomeOf(call('a', began - 1))).to.equal(tooBusy);
    expect(await outcomeOf(call('b', began + 5))).to.equal(tooBusy);
    expect(performance.now() - began).to.be.below(5_000);
    await someTurns();
    expect(keys()).to.deep.equal([]);
  });

  it('gives the slot of a batch that hangs to the next one, once all its calls have ended', async () => {
    const { call, begun, keys } = batcher({ timeoutMs: 500 });
    expect(await outcomeOf(call('a'))).to.equal(tooSlow);
    const next = call('b');
    (await begun(2)).answer();
    expect(await next).to.equal('B');
    expect(keys()).to.deep.equal([['a'], ['b']]);
  });

  it('refuses calls while the late work of a batch still takes a connection, if only one batch may run', async () => {
    const { call, begun, keys } = batcher({ timeoutMs: 500, wrap: oneAtATime });
    const first = outcomeOf(call('a'));
    const { answer } = await begun(1);
    const waiting = outcomeOf(call('b'));
    expect(await Promise.all([first, waiting])).to.deep.equal([tooSlow, tooBusy]);
    expect(await outcomeOf(call('c'))).to.equal(tooBusy);
    answer();
    await someTurns();
    const next = call('d');
    (await begun(2)).answer();
    expect(await next).to.equal('D');
    expect(keys()).to.deep.equal([['a'], ['d']]);
  });

  it('runs no call of a rejected batch separately after all of them have timed out', async () => {
    const sizes: Array<number> = [];
    const ended: Array<Promise<unknown>> = [];
    const load = createBatcher<number, never, number>({
      maxBatches: 1,
      timeoutMs: 40,
      separatesRejected: true,
      runBatch: (inputs, until) => {
        sizes.push(inputs.length);
        const rejection = delay(until - performance.now() + 20).then(() => {
          throw Object.assign(new Error('refused'), { code: '23514' });
        });
        ended.push(rejection.catch(() => undefined));
        return rejection;
      },
    });
    for (const result of await Promise.all([load(1)(), load(2)()])) expect(E.isLeft(result)).to.equal(true);
    await Promise.all(ended);
    await nextTurn();
    expect(sizes).to.deep.equal([2]);
  });
});
