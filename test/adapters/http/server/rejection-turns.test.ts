import { expect } from 'chai';
import { setImmediate as turn } from 'node:timers/promises';
import { rejectionTurns } from '../../../../adapters/http/server/rejection-turns';

const many = 1_000;

describe('The pace of rejections', () => {
  it('lets each have its turn, in the order in which they came, with the work of others between them', async () => {
    const rejectionTurn = rejectionTurns();
    const rejected: Array<number> = [];
    const ended = Promise.all(
      Array.from({ length: many }, async (_, place) => {
        await rejectionTurn();
        rejected.push(place);
      }),
    );
    const seen: Array<number> = [];
    while (rejected.length < many) {
      await turn();
      seen.push(rejected.length);
    }
    await ended;
    expect(rejected).to.deep.equal(Array.from({ length: many }, (_, place) => place));
    const inTurn = seen.map((count, place) => count - (seen[place - 1] ?? 0));
    expect(Math.max(...inTurn), 'the most in a turn').to.be.at.most(many / 10);
  });

  it('begins anew after a pause', async () => {
    const rejectionTurn = rejectionTurns();
    await rejectionTurn();
    await turn();
    await rejectionTurn();
  });
});
