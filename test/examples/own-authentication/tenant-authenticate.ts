import { type Authenticate, type Caller, invalidApiKey } from 'animal-store/core';
import * as TE from 'fp-ts/TaskEither';
import { createHash } from 'node:crypto';

/** A token that a customer of the host has already. The host keeps its SHA-256 alone. */
export interface Token {
  /** The token's public id, and the customer: all of a customer's tokens are one owner's. */
  readonly caller: Caller;
  readonly blocked: boolean;
}

export const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Lets in the tenants that the host knows already, each with any of the tokens that it has already. */
export const tenantAuthenticate =
  (tokens: ReadonlyMap<string, Token>): Authenticate =>
  (apiKey) =>
    TE.fromIOEither(() => {
      const token = tokens.get(digestOf(apiKey));
      if (token === undefined) return { _tag: 'Left', left: invalidApiKey('unknown') };
      const { blocked, caller } = token;
      return blocked
        ? { _tag: 'Left', left: invalidApiKey('revoked', caller.keyId) }
        : { _tag: 'Right', right: caller };
    });
