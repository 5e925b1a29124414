import type { TaskEither } from 'fp-ts/TaskEither';
import type { ApiKey } from '../keys/api-key';
import type { Caller } from '../keys/caller';
import type { Deadline } from './deadline';
import type { InvalidApiKey, Unavailable } from './failures';

/**
 * The auth port: which key this is, and whose. At the deadline it ends as Unavailable. An adapter passes the contract suite of
 * this port.
 */
export type Authenticate = (
  apiKey: ApiKey,
  deadline?: Deadline,
) => TaskEither<InvalidApiKey | Unavailable, Caller>;
