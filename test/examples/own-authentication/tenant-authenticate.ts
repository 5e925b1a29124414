import { type Authenticate, type Caller, invalidApiKey } from 'animal-store/core';
import * as TE from 'fp-ts/TaskEither';
import { createHash } from 'node:crypto';

/** Token of a customer of the host, of which the host stores only the SHA-256. */
export interface Token {
  /** Public id of the token, with the customer as its owner. */
  readonly caller: Caller;
  readonly blocked: boolean;
}

export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Authenticates the customers of the host with the tokens that they already have. */
export const tenantAuthenticate =
  (tokens: ReadonlyMap<string, Token>): Authenticate =>
  (apiKey) =>
    TE.fromIOEither(() => {
      const token = tokens.get(hashOf(apiKey));
      if (token === undefined) return { _tag: 'Left', left: invalidApiKey('unknown') };
      const { blocked, caller } = token;
      return blocked
        ? { _tag: 'Left', left: invalidApiKey('revoked', caller.keyId) }
        : { _tag: 'Right', right: caller };
    });
