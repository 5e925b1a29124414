import type { TaskEither } from 'fp-ts/TaskEither';
import type { ApiKey } from '../keys/api-key';
import type { Deadline } from './deadline';
import type { InvalidApiKey, Unavailable } from './failures';
import type { KeyId } from '../keys/key-id';

/**
 * The auth port: whose key this is. At the deadline it ends as Unavailable. An adapter passes the contract suite of
 * this port.
 */
export type Authenticate = (
  apiKey: ApiKey,
  deadline?: Deadline,
) => TaskEither<InvalidApiKey | Unavailable, KeyId>;
