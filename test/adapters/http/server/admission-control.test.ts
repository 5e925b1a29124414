import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { admissionControl } from '../../../../adapters/http/server/admission-control';

const wanted = (): boolean => true;

describe('Admission', () => {
  it('lets in who comes while there is room, and has the next wait in their order', async () => {
    const { enter, leave } = admissionControl(2, 1_000);
    expect([enter(wanted), enter(wanted)]).to.deep.equal([true, true]);
    const order: Array<number> = [];
    const waiting = [1, 2, 3].map(async (place) => {
      expect(await enter(wanted)).to.equal(true);
      order.push(place);
    });
    for (let count = 0; count < 3; count += 1) leave();
    await Promise.all(waiting);
    expect(order).to.deep.equal([1, 2, 3]);
  });

  it('passes over who has left', async () => {
    const { enter, leave } = admissionControl(1, 1_000);
    expect(enter(wanted)).to.equal(true);
    const gone = enter(() => false);
    const next = enter(wanted);
    leave();
    expect([await gone, await next]).to.deep.equal([false, true]);
  });

  it('refuses nobody of a crowd on a store that answers in large batches, far apart', async () => {
    const { enter, leave } = admissionControl(128, 5_000);
    let inFlight = 0;
    const entered: Array<boolean | Promise<boolean>> = [];
    const counted: Array<Promise<void>> = [];
    const countIn = async (admitted: boolean | Promise<boolean>): Promise<void> => {
      if (await admitted) inFlight += 1;
    };
    const isDone = (async () => {
      for (let batch = 0; batch < 6; batch += 1) {
        await delay(150);
        const done = inFlight;
        inFlight = 0;
        for (let count = 0; count < done; count += 1) leave();
      }
    })();
    for (let count = 0; count < 450; count += 1) {
      const admitted = enter(wanted);
      entered.push(admitted);
      counted.push(countIn(admitted));
      if (count % 15 === 14) await delay(10);
    }
    await isDone;
    await Promise.all(counted);
    expect(entered.filter((admitted) => admitted === false)).to.deep.equal([]);
  });

  it('refuses who comes once nothing has moved for as long as anyone may wait', async () => {
    const { enter } = admissionControl(1, 100);
    expect(enter(wanted)).to.equal(true);
    expect(enter(wanted)).to.be.instanceOf(Promise);
    await delay(150);
    for (let count = 0; count < 300; count += 1) expect(enter(wanted)).to.equal(false);
    await delay(300);
    expect(enter(wanted)).to.equal(false);
  });

  it('refuses those too who wait, once it shows that they would wait for much too long, and them alone', async () => {
    const { enter, leave } = admissionControl(1, 400);
    expect(enter(wanted)).to.equal(true);
    const waiting = Array.from({ length: 1_000 }, () => Promise.resolve(enter(wanted)));
    const workOn = setInterval(leave, 5);
    await delay(450);
    expect(enter(wanted), 'who comes then').to.equal(false);
    const last = await Promise.race([waiting.at(-1), delay(100, 'still waits')]);
    expect(last, 'the last of those who wait').to.equal(false);
    const admitted = async (): Promise<number> => {
      const answers = await Promise.all(waiting.map((each) => Promise.race([each, delay(0, undefined)])));
      return answers.filter((isAdmitted) => isAdmitted === true).length;
    };
    const before = await admitted();
    await delay(100);
    expect(await admitted(), 'who goes on waiting is let in').to.be.above(before);
    clearInterval(workOn);
  });

  it('refuses who finds ten thousand waiting', () => {
    const { enter } = admissionControl(1, 60_000);
    const entered = Array.from({ length: 10_002 }, () => enter(wanted));
    expect(entered.filter((admitted) => admitted === false)).to.have.length(1);
  });

  it('has who waited for his client go before those that came later, and never refuses him', async () => {
    const { enter, pause, reenter, leave } = admissionControl(1, 1_000);
    expect(enter(wanted)).to.equal(true);
    const order: Array<string> = [];
    const later = Promise.resolve(enter(wanted)).then(() => order.push('later'));
    const last = Promise.resolve(enter(wanted)).then(() => order.push('last'));
    pause();
    await later;
    const returned = Promise.resolve(reenter(wanted)).then(() => order.push('returned'));
    leave();
    await returned;
    leave();
    await last;
    expect(order).to.deep.equal(['later', 'returned', 'last']);
  });
});
