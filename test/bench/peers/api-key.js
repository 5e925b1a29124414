import { createHash, timingSafeEqual } from 'node:crypto';

const digestOf = (key) => createHash('sha256').update(key).digest();

const digest = digestOf(process.env.API_KEYS);

/** Whether an Authorization header shows the key, in a time that tells nothing of it. */
export const isAuthorized = (authorization) =>
  authorization !== undefined &&
  /^Bearer /i.test(authorization) &&
  timingSafeEqual(digestOf(authorization.slice(7)), digest);
