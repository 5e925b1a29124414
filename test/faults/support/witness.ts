import { AssertionError, expect } from 'chai';
import { eventually } from '../../support/eventually';
import { type Answer, call, owner } from '../../support/http/client';
import { create, expectStored, newLedger } from './ledger';

const longestAnswerMs = 5_000;

const timeoutMs = 30_000;

const createsAtOnce = 16;

const unavailableMessage =
  'service unavailable; try again, but repeat a POST only with the same Idempotency-Key';

/** All messages that `/readyz` may return. None contains a path, a statement or a value. */
const readinessMessages = [
  'the database does not answer; run `animal-store doctor`',
  "the database can't be used; run `animal-store doctor`",
  "animals can't be read from the database; run `animal-store doctor`",
  'a write to the table heartbeats fails; run `animal-store doctor`',
  'a commit takes seconds; the disk of the database may be slow, a standby that commits wait for may be away, or a session may hold a lock; run `animal-store doctor`',
  'the disk of the database is full; run `animal-store doctor`',
  'the service is stopping',
].map((obstacle) => `not ready: ${obstacle}`);

const readPaths = ['/v1/pets', '/v1/pets?status=sold', '/v1/pets/1'];

export type ReadsUnderFault = 'reads continue' | 'reads fail';

/**
 * Makes a client with the API key `owner` that accepts only the expected response, or a 503 in time and without
 * internal details.
 */
export const witness = (address: string) => {
  const ledger = newLedger();
  const { sent, acknowledged } = ledger;

  const check = (answer: Answer, expected: number, messages: ReadonlyArray<string>): boolean => {
    expect(answer.milliseconds, `milliseconds until a ${answer.status}`).to.be.below(longestAnswerMs);
    if (answer.status === expected) return true;
    expect(answer.status, answer.text).to.equal(503);
    expect(
      messages.map((message) => JSON.stringify({ code: 'unavailable', message, status: 503 })),
    ).to.include(answer.text);
    expect(answer.headers['retry-after']).to.match(/^[1-9][0-9]*$/);
    return false;
  };

  const created = async (isKeyed: boolean): Promise<boolean> =>
    check(await create(ledger, address, `${sent.size}`, { isKeyed }), 201, [unavailableMessage]);

  const isRead = async (path: string): Promise<boolean> =>
    check(await call(`${address}${path}`, { key: owner }), 200, [unavailableMessage]);

  const isReady = async (): Promise<boolean> =>
    check(await call(`${address}/readyz`), 200, [...readinessMessages, unavailableMessage]);

  /** Sends creates, some with a key, reads and `/readyz` at once. Returns which of them succeeded. */
  const round = async () => {
    const [ready, reads, creates] = await Promise.all([
      isReady(),
      Promise.all(readPaths.map(isRead)),
      Promise.all(Array.from({ length: createsAtOnce }, (_, client) => created(client % 2 === 1))),
    ]);
    return { ready, reads, creates };
  };

  const allSucceed = async (): Promise<boolean> => {
    const { ready, reads, creates } = await round();
    return [ready, ...reads, ...creates].every(Boolean);
  };

  return {
    /** Fails unless all creates and reads succeed and the service is ready. */
    expectWorking: async (): Promise<void> => {
      expect(await created(false), 'the first animal, which is read from then on').to.equal(true);
      expect(await allSucceed(), 'a store without a fault').to.equal(true);
    },
    /** Repeats until all creates fail and the service is not ready. */
    untilFailing: async (readsUnderFault: ReadsUnderFault): Promise<void> => {
      await eventually('the store fails', timeoutMs, async () => {
        const seen = await round();
        if (readsUnderFault === 'reads continue') expect(seen.reads, 'reads').not.to.include(false);
        const failing = readsUnderFault === 'reads continue' ? [] : seen.reads;
        return ![seen.ready, ...seen.creates, ...failing].includes(true);
      });
    },
    /** Sends requests for some time, and fails unless every response is in time. */
    requestFor: async (milliseconds: number): Promise<void> => {
      const began = performance.now();
      while (performance.now() - began < milliseconds) await round();
    },
    requestUntilCut: async (): Promise<void> => {
      for (;;) {
        const { reads } = await round().catch((error: unknown) => {
          if (error instanceof AssertionError) throw error;
          return { reads: [] };
        });
        if (reads.length === 0) return;
      }
    },
    untilWorking: (): Promise<void> => eventually('the store works again', timeoutMs, allSucceed),
    acknowledged,
    /** Fails unless every acknowledged animal is stored once, according to a service that was restarted. */
    expectAllStored: (newAddress: string) => expectStored({ address: newAddress }, ledger),
  };
};
