import type { TaskEither } from 'fp-ts/TaskEither';
import type { Deadline } from './deadline';
import type { Unavailable } from './failures';
import type { OwnerId } from '../keys/owner-id';

/** How many requests the owner of a key may make in how many seconds. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

/** What is left of an owner's quota after one more request. */
export interface Quota extends RateLimit {
  /** Whether this request was still within the limit. */
  readonly isWithin: boolean;
  readonly remaining: number;
  /** Whole seconds until the whole quota is there again, as HTTP has them. */
  readonly resetsIn: number;
}

/** The port that counts the requests of each owner of API keys. At the deadline it ends as Unavailable; the request may be counted. */
export type ConsumeQuota = (owner: OwnerId, deadline?: Deadline) => TaskEither<Unavailable, Quota>;
