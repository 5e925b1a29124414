import { expect } from 'chai';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { batchWhileBusy } from '../../../adapters/knex/batching/batch-while-busy';

interface Batch {
  readonly keys: ReadonlyArray<string>;
  readonly answer: () => void;
  readonly fail: (error: Error) => void;
}

/** A batcher whose batches end when the test says so. Each key is answered by itself in capitals. */
const batcher = ({ maxBatchSize = 100, patience = 5_000 } = {}) => {
  const batches: Array<Batch> = [];
  const load = batchWhileBusy<string, { readonly answer: string }>({
    maxBatchSize,
    patience,
    runBatch: (keys) =>
      new Promise((resolve, reject) => {
        const answerOf = (key: string) => (key === 'bad' ? new Error('bad') : { answer: key.toUpperCase() });
        batches.push({
          keys,
          fail: reject,
          answer: () => {
            resolve(keys.map(answerOf));
          },
        });
      }),
  });
  const call = (key: string): Promise<string> => load(key).then(({ answer }) => answer);
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

const outcomeOf = (call: Promise<string>): Promise<string> =>
  call.catch((error: unknown) => (error instanceof Error ? error.message : 'no error'));

describe('batchWhileBusy', () => {
  it('runs a call that finds it idle at once, without waiting for others', async () => {
    const { call, begun, keys } = batcher();
    const answer = call('a');
    for (let turns = 0; turns < 3; turns += 1) await nextTurn();
    expect(keys()).to.deep.equal([['a']]);
    (await begun(1)).answer();
    expect(await answer).to.equal('A');
  });

  it('gathers what comes while a batch runs into the next, and answers each in its place', async () => {
    const { call, begun, keys } = batcher();
    const first = call('a');
    const running = await begun(1);
    const later = [call('b'), call('c'), call('d')];
    for (let turns = 0; turns < 10; turns += 1) await nextTurn();
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

  it('remembers nothing once it is idle again', async () => {
    const { call, begun } = batcher();
    for (const count of [1, 2, 3]) {
      const answer = call('a');
      (await begun(count)).answer();
      expect(await answer).to.equal('A');
    }
  });

  it('makes no batch larger than it may be', async () => {
    const { call, begun, keys } = batcher({ maxBatchSize: 2 });
    const answers = Promise.all(['a', 'b', 'c', 'd', 'e'].map(call));
    for (const count of [1, 2, 3]) (await begun(count)).answer();
    expect(await answers).to.deep.equal(['A', 'B', 'C', 'D', 'E']);
    expect(keys().map(({ length }) => length)).to.deep.equal([2, 2, 1]);
  });

  it('fails the one call whose answer is an error', async () => {
    const { call, begun } = batcher();
    const outcomes = Promise.all(['a', 'bad', 'c'].map((key) => outcomeOf(call(key))));
    (await begun(1)).answer();
    expect(await outcomes).to.deep.equal(['A', 'bad', 'C']);
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

  it('gives up on a call that waited too long, and does not run it any more', async () => {
    const { call, begun, keys } = batcher({ patience: 60 });
    const first = outcomeOf(call('a'));
    const running = await begun(1);
    const waiting = outcomeOf(call('b'));
    expect([await first, await waiting]).to.deep.equal([
      'the database did not answer in time',
      'the database was too busy to begin in time',
    ]);
    const patient = call('c');
    running.answer();
    (await begun(2)).answer();
    expect(await patient).to.equal('C');
    expect(keys()).to.deep.equal([['a'], ['c']]);
  });

  it('runs no batch of which nobody waits any more', async () => {
    const { call, begun, keys } = batcher({ patience: 30 });
    const first = outcomeOf(call('a'));
    const running = await begun(1);
    await Promise.all([first, outcomeOf(call('b'))]);
    running.answer();
    for (let turns = 0; turns < 10; turns += 1) await nextTurn();
    expect(keys()).to.deep.equal([['a']]);
  });
});
