import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { type AdmissionControl, admissionControl } from '../../../../adapters/http/server/admission-control';

const wanted = { outcome: undefined, response: { destroyed: false } };
const gone = { outcome: undefined, response: { destroyed: true } };

const ignored = (): void => undefined;

/** What becomes of each that enters: admitted, not admitted, or not told yet. */
const entering = (admission: AdmissionControl) => {
  const admitted: Array<boolean | undefined> = [];
  const enter = (entrant = wanted): boolean => {
    const place = admitted.push(undefined) - 1;
    return admission.enter(entrant, (isAdmitted) => {
      admitted[place] = isAdmitted;
    });
  };
  return { admitted, enter };
};

describe('Admission', () => {
  it('lets in who comes while there is room, and has the next wait in their order', () => {
    const { enter, leave } = admissionControl(2, 1_000);
    const order: Array<number> = [];
    for (const place of [1, 2, 3, 4, 5]) enter(wanted, () => order.push(place));
    expect(order).to.deep.equal([1, 2]);
    for (let count = 0; count < 3; count += 1) leave();
    expect(order).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('passes over who has left', () => {
    const admission = admissionControl(1, 1_000);
    const { admitted, enter } = entering(admission);
    enter();
    enter(gone);
    enter();
    admission.leave();
    expect(admitted).to.deep.equal([true, false, true]);
  });

  it('refuses nobody of a crowd on a store that answers in large batches, far apart', async () => {
    const { enter, leave } = admissionControl(128, 5_000);
    let inFlight = 0;
    const entered: Array<boolean> = [];
    const isDone = (async () => {
      for (let batch = 0; batch < 6; batch += 1) {
        await delay(150);
        const done = inFlight;
        inFlight = 0;
        for (let count = 0; count < done; count += 1) leave();
      }
    })();
    for (let count = 0; count < 450; count += 1) {
      entered.push(
        enter(wanted, () => {
          inFlight += 1;
        }),
      );
      if (count % 15 === 14) await delay(10);
    }
    await isDone;
    expect(entered.filter((isTaken) => !isTaken)).to.deep.equal([]);
  });

  it('refuses nobody of a crowd for a third of a second in which the store stands still', async () => {
    const { enter, leave } = admissionControl(10, 1_000);
    const began = performance.now();
    let [inFlight, done, refused] = [0, 0, 0];
    const ask = (): void => {
      if (!enter(wanted, () => (inFlight += 1))) refused += 1;
    };
    for (let client = 0; client < 400; client += 1) ask();
    while (performance.now() - began < 2_500) {
      await delay(5);
      const elapsed = performance.now() - began;
      if (elapsed > 1_300 && elapsed < 1_630) continue;
      const due = Math.round(elapsed < 1_630 ? elapsed : elapsed - 330);
      for (; done < due && inFlight > 0; done += 1) {
        inFlight -= 1;
        leave();
        ask();
      }
    }
    expect(refused).to.equal(0);
  });

  it('refuses who comes once nothing has moved for as long as anyone may wait', async () => {
    const { admitted, enter } = entering(admissionControl(1, 100));
    expect([enter(), enter()]).to.deep.equal([true, true]);
    await delay(150);
    for (let count = 0; count < 300; count += 1) expect(enter()).to.equal(false);
    await delay(300);
    expect(enter()).to.equal(false);
    expect(admitted.filter((isAdmitted) => isAdmitted !== undefined)).to.deep.equal([true]);
  });

  it('refuses those too who wait, once it shows that they would wait for much too long, and them alone', async () => {
    const admission = admissionControl(1, 400);
    const { admitted, enter } = entering(admission);
    for (let count = 0; count < 1_001; count += 1) expect(enter()).to.equal(true);
    const workOn = setInterval(admission.leave, 5);
    await delay(450);
    expect(enter(), 'who comes then').to.equal(false);
    expect(admitted[1_000], 'the last of those who wait').to.equal(false);
    const count = (): number => admitted.filter((isAdmitted) => isAdmitted === true).length;
    const before = count();
    await delay(100);
    clearInterval(workOn);
    expect(count(), 'who goes on waiting is let in').to.be.above(before);
  });

  it('refuses who finds ten thousand waiting', () => {
    const { enter } = admissionControl(1, 60_000);
    const entered = Array.from({ length: 10_002 }, () => enter(wanted, ignored));
    expect(entered.filter((isTaken) => !isTaken)).to.have.length(1);
  });

  it('has who waited for his client go before those that came later, and never refuses him', () => {
    const { enter, pause, reenter, leave } = admissionControl(1, 1_000);
    enter(wanted, ignored);
    const order: Array<string> = [];
    enter(wanted, () => order.push('later'));
    enter(wanted, () => order.push('last'));
    pause();
    reenter(wanted, () => order.push('returned'));
    leave();
    leave();
    expect(order).to.deep.equal(['later', 'returned', 'last']);
  });
});
