import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { Context } from 'koa';
import type { ConsumeQuota, KeyId, Quota, Unavailable } from '../../../core';
import type { RateLimited } from '../responses/http-failures';

/** `RateLimit` and `RateLimit-Policy` as in draft-ietf-httpapi-ratelimit-headers-10. */
const quotaHeaders = ({ requests, seconds, remaining, resetsIn }: Quota) => ({
  RateLimit: `"default";r=${remaining};t=${resetsIn}`,
  'RateLimit-Policy': `"default";q=${requests};w=${seconds}`,
});

/** Takes one request off a key's quota, and says in the headers what is left of it. */
export const limitRequests =
  (consumeQuota: ConsumeQuota) =>
  (context: Context, keyId: KeyId): TE.TaskEither<Unavailable | RateLimited, void> =>
    pipe(
      consumeQuota(keyId),
      TE.flatMap((quota) => {
        context.set(quotaHeaders(quota));
        return quota.isWithin
          ? TE.right(undefined)
          : TE.left({ _tag: 'RateLimited' as const, retryAfter: quota.resetsIn });
      }),
    );
