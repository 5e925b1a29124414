import { type ConsumeQuota, decodeOrThrow, OwnerId, type Quota } from '../../core';
import { arbitraryOwnerId } from './arbitrary';
import { expectEqual } from './expect-equal';
import { closeAfter, success } from './outcome';
import { seededRunner } from './seeded-runner';
import type { TestRunner } from './test-runner';

/** An adapter of the rate limit port that has not counted a request yet. */
type ConsumeQuotaUnderTest = Readonly<{
  consumeQuota: ConsumeQuota;
  close: () => Promise<void>;
}>;

/** Opens an adapter that allows `requests` requests in `seconds` seconds. */
type OpenConsumeQuota = (
  limit: Readonly<{ requests: number; seconds: number }>,
) => Promise<ConsumeQuotaUnderTest>;

/** Length of the quota's window in most tests, longer than any test takes. */
const seconds = 3_600;

/** Maximum attempts to use the quota again after the time that the adapter announced. */
const attempts = 3;

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Defines the tests that every adapter of the rate limit port must pass. */
export const consumeQuotaContract = (
  testRunner: TestRunner,
  open: OpenConsumeQuota,
  options: { readonly seed?: number } = {},
): void => {
  const { describe, it } = seededRunner(testRunner, options);

  const use = async (
    limit: Parameters<OpenConsumeQuota>[0],
    test: (consumeQuota: ConsumeQuota) => Promise<void>,
  ): Promise<void> => {
    const { consumeQuota, close } = await open(limit);
    return closeAfter(() => test(consumeQuota), close);
  };

  const counted = ({ isWithin, remaining }: Quota) => ({ isWithin, remaining });

  describe('as the quota port', () => {
    it('counts down, refuses requests over the limit, and returns the limit each time', () =>
      use({ requests: 3, seconds }, async (consumeQuota) => {
        const owner = arbitraryOwnerId();
        for (const [request, expected] of [
          { isWithin: true, remaining: 2 },
          { isWithin: true, remaining: 1 },
          { isWithin: true, remaining: 0 },
          { isWithin: false, remaining: 0 },
          { isWithin: false, remaining: 0 },
        ].entries()) {
          const what = `of request ${request + 1}, where 3 are allowed`;
          const quota = await success(consumeQuota(owner));
          expectEqual(`what is left ${what}`, counted(quota), expected);
          expectEqual(`the limit ${what}`, [quota.requests, quota.seconds], [3, seconds]);
          const isInWindow = quota.resetsInSeconds >= 0 && quota.resetsInSeconds <= seconds;
          expectEqual(
            `whether resetsInSeconds ${what}, ${quota.resetsInSeconds}, is within the window`,
            isInWindow,
            true,
          );
          const isWhole = Number.isInteger(quota.resetsInSeconds);
          expectEqual(
            `whether resetsInSeconds ${what}, ${quota.resetsInSeconds}, is in whole seconds`,
            isWhole,
            true,
          );
        }
      }));

    it('counts each owner separately, however similar their ids', () =>
      use({ requests: 1, seconds }, async (consumeQuota) => {
        const id = arbitraryOwnerId();
        const near = [
          '__proto__',
          'constructor',
          `${id}A`,
          `${id}a`,
          `${id} `,
          ` ${id}`,
          `${id}:1`,
          `'${id}'`,
          `${id}%`,
          `${id}é`,
          `${id}e\u0301`,
        ];
        for (const owner of [id, ...near.map((text) => decodeOrThrow(OwnerId, text))]) {
          const what = `the first request of ${JSON.stringify(owner)}`;
          expectEqual(what, counted(await success(consumeQuota(owner))), { isWithin: true, remaining: 0 });
        }
      }));

    it('allows as many concurrent requests as the limit', () =>
      use({ requests: 5, seconds }, async (consumeQuota) => {
        const owner = arbitraryOwnerId();
        const crowd = await Promise.all(Array.from({ length: 20 }, () => success(consumeQuota(owner))));
        const within = crowd.filter(({ isWithin }) => isWithin);
        expectEqual('how many of 20 are within a limit of 5', within.length, 5);
        expectEqual(
          'what is left after each of them, sorted',
          within.map(({ remaining }) => remaining).sort(),
          [0, 1, 2, 3, 4],
        );
      }));

    it('counts a request each time the task runs, and none before', () =>
      use({ requests: 2, seconds }, async (consumeQuota) => {
        const owner = arbitraryOwnerId();
        const request = consumeQuota(owner);
        const remaining = [];
        for (const effect of [consumeQuota(owner), request, request]) {
          remaining.push(counted(await success(effect)));
        }
        expectEqual('what is left after each', remaining, [
          { isWithin: true, remaining: 1 },
          { isWithin: true, remaining: 0 },
          { isWithin: false, remaining: 0 },
        ]);
      }));

    it('restores the whole quota after its window', () =>
      use({ requests: 2, seconds: 1 }, async (consumeQuota) => {
        const owner = arbitraryOwnerId();
        let quota = await success(consumeQuota(owner));
        for (let count = 0; quota.isWithin && count < attempts; count += 1) {
          quota = await success(consumeQuota(owner));
        }
        for (let count = 0; !quota.isWithin && count < attempts; count += 1) {
          await pause(quota.resetsInSeconds * 1000 + 50);
          quota = await success(consumeQuota(owner));
        }
        expectEqual('what is left after its time', counted(quota), { isWithin: true, remaining: 1 });
      }));

    it('answers a call whose deadline has passed, or is Unavailable', () =>
      use({ requests: 2, seconds }, async (consumeQuota) => {
        const late = await consumeQuota(arbitraryOwnerId(), performance.now() - 1)();
        const answer = late._tag === 'Right' ? counted(late.right) : late.left._tag;
        if (answer !== 'Unavailable') {
          expectEqual('what is left, too late', answer, { isWithin: true, remaining: 1 });
        }
        const next = await success(consumeQuota(arbitraryOwnerId()));
        expectEqual('what is left of another, after that', counted(next), { isWithin: true, remaining: 1 });
      }));
  });
};
