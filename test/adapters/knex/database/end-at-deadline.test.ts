import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import { endAtDeadline } from '../../../../adapters/knex/database/deadline';

const failureOf = async (task: TE.TaskEither<unknown, unknown>): Promise<unknown> => {
  const outcome = await task();
  return E.isLeft(outcome) ? outcome.left : expect.fail('the call succeeded');
};

const timersOf = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describe('endAtDeadline', () => {
  it('ends a call that hangs as Unavailable', async () => {
    const hanging = () => new Promise<never>(() => undefined);
    const ended = await failureOf(endAtDeadline(hanging, performance.now() + 20));
    expect(ended).to.have.property('_tag', 'Unavailable');
  });

  it('runs no call once it has passed', async () => {
    let calls = 0;
    const call = endAtDeadline(() => {
      calls += 1;
      return Promise.resolve(E.right(1));
    }, performance.now() - 1);
    expect(await failureOf(call)).to.have.property('_tag', 'Unavailable');
    expect(calls).to.equal(0);
  });

  it('changes no outcome of a call in time, and leaves no timer', async () => {
    // Mocha starts its own timer only after the test has returned its promise.
    await Promise.resolve();
    const timers = timersOf();
    const later = performance.now() + 60_000;
    expect(await endAtDeadline(TE.right(1), later)()).to.deep.equal(E.right(1));
    expect(await endAtDeadline(TE.left('no'), later)()).to.deep.equal(E.left('no'));
    const rejected = endAtDeadline(() => Promise.reject(new TypeError('a defect')), later)();
    expect(await rejected.catch(String)).to.equal('TypeError: a defect');
    expect(timersOf()).to.equal(timers);
  });

  it('has no effect if it is later than a timer can wait', async () => {
    for (const deadline of [Infinity, performance.now() + 2 ** 31]) {
      const call = endAtDeadline(
        () => new Promise<E.Either<never, number>>((resolve) => setTimeout(resolve, 5, E.right(1))),
        deadline,
      );
      expect(await call()).to.deep.equal(E.right(1));
    }
  });
});
