import { AssertionError, expect } from 'chai';
import { eventually } from '../../../support/eventually';
import { type Answer, call } from '../../../support/http/client';
import type { Figures } from '../fault';
import { expectStored } from './stored';

export const key = 'sick-store-key';

/** In milliseconds: how long any answer may take. */
const longestAnswer = 5_000;

/** In milliseconds: how long a store may take to show that it is sick, or well again. */
const bound = 30_000;

/** Creates that are sent at once. */
const clients = 16;

const unavailableMessage = 'service unavailable; try again';

/** All that `/readyz` may say of a store: nothing of paths, statements or values. */
const obstacles = [
  'the database does not answer',
  "animals can't be read from the database",
  "the database can't be written to",
  'the service is stopping',
].map((obstacle) => `not ready: ${obstacle}`);

const readsOf = ['/v1/pets', '/v1/pets?status=sold', '/v1/pets/1'];

/** A client of a service, who checks all that it answers and remembers what it acknowledged. */
export const witness = (address: string) => {
  const sent = new Set<string>();
  const acknowledged: Array<string> = [];
  let answers = 0;
  let refused = 0;
  let slowest = 0;

  const check = (answer: Answer, expected: number, messages: ReadonlyArray<string>): boolean => {
    answers += 1;
    slowest = Math.max(slowest, Math.round(answer.milliseconds));
    expect(answer.milliseconds, `milliseconds until a ${answer.status}`).to.be.below(longestAnswer);
    if (answer.status === expected) return true;
    refused += 1;
    expect(answer.status, answer.text).to.equal(503);
    expect(
      messages.map((message) => JSON.stringify({ code: 'unavailable', message, status: 503 })),
    ).to.include(answer.text);
    expect(answer.headers['retry-after']).to.match(/^[1-9][0-9]*$/);
    return false;
  };

  /** Whether the animal was taken. */
  const create = async (headers: Readonly<Record<string, string>> = {}): Promise<boolean> => {
    const name = `${sent.size}`;
    sent.add(name);
    const body = `{"name":"${name}","categoryId":1,"status":"sold"}`;
    const answer = await call(`${address}/v1/pets`, { method: 'POST', key, headers, body });
    const taken = check(answer, 201, [unavailableMessage]);
    if (taken) acknowledged.push(answer.text);
    return taken;
  };

  const read = async (path: string): Promise<boolean> =>
    check(await call(`${address}${path}`, { key }), 200, [unavailableMessage]);

  const isReady = async (): Promise<boolean> =>
    check(await call(`${address}/readyz`), 200, [...obstacles, unavailableMessage]);

  /** What is so of a round of creates and reads at once, some of them with idempotency keys, and of `/readyz`. */
  const round = async () => {
    const [ready, reads, creates] = await Promise.all([
      isReady(),
      Promise.all(readsOf.map(read)),
      Promise.all(
        Array.from({ length: clients }, (_, client) =>
          create(client % 2 === 0 ? {} : { 'Idempotency-Key': `"${sent.size}"` }),
        ),
      ),
    ]);
    return { ready, reads, creates };
  };

  const isWell = async (): Promise<boolean> => {
    const { ready, reads, creates } = await round();
    return [ready, ...reads, ...creates].every(Boolean);
  };

  return {
    /** Every create and every read is answered as on any day, and the service says that it is ready. */
    isWell: async (): Promise<void> => {
      expect(await create(), 'the first animal, which is read from then on').to.equal(true);
      expect(await isWell(), 'a store without a fault').to.equal(true);
    },
    /** Comes to a round in which all creates are refused, and the service says that it is not ready. */
    becomesSick: async (reads: 'reads go on' | 'reads are refused'): Promise<void> => {
      await eventually('the store is sick', bound, async () => {
        const seen = await round();
        if (reads === 'reads go on') expect(seen.reads, 'reads').not.to.include(false);
        const asked = reads === 'reads go on' ? [] : seen.reads;
        return ![seen.ready, ...seen.creates, ...asked].includes(true);
      });
    },
    /** Goes on asking for some milliseconds; every answer is in time. */
    stays: async (milliseconds: number): Promise<void> => {
      const began = performance.now();
      while (performance.now() - began < milliseconds) await round();
    },
    /** Goes on asking until the service is gone. */
    asksUntilCut: async (): Promise<void> => {
      for (;;) {
        const { reads } = await round().catch((error: unknown) => {
          if (error instanceof AssertionError) throw error;
          return { reads: [] };
        });
        if (reads.length === 0) return;
      }
    },
    counts: () => ({ answers, refused, acknowledged: acknowledged.length, 'slowest ms': slowest }),
    heals: (): Promise<void> => eventually('the store is well again', bound, isWell),
    /** Every animal that was acknowledged is there once, at the address of a service that was started anew. */
    figures: async (newAddress: string): Promise<Figures> => {
      const { lost, twice } = await expectStored({ address: newAddress, key }, { acknowledged, sent });
      return { answers, refused, 'slowest ms': slowest, acknowledged: acknowledged.length, lost, twice };
    },
  };
};
