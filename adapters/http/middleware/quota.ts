import * as E from 'fp-ts/Either';
import type { ConsumeQuota } from '../../../core';
import type { PetMiddleware, ServerFunctions } from '../context';
import { fail } from '../respond';

export const quota =
  (consumeQuota: ConsumeQuota, { deadlineOf }: ServerFunctions): PetMiddleware =>
  async (context, next) => {
    const consumed = await consumeQuota(context.state.caller.ownerId, deadlineOf(context.req))();
    if (E.isLeft(consumed)) {
      fail(context, consumed.left);
      return;
    }
    const { requests, seconds, remaining, resetsIn, isWithin } = consumed.right;
    // draft-ietf-httpapi-ratelimit-headers-10
    context.set('RateLimit', `"default";r=${remaining};t=${resetsIn}`);
    context.set('RateLimit-Policy', `"default";q=${requests};w=${seconds}`);
    if (isWithin) await next();
    else fail(context, { _tag: 'RateLimited', retryAfterSeconds: resetsIn });
  };
