import { type Authenticate, invalidApiKey, type KeyId } from 'animal-store/core';
import * as TE from 'fp-ts/TaskEither';
import { createHash } from 'node:crypto';

/** A customer of the host, which keeps no token but its SHA-256. */
export interface Tenant {
  readonly id: KeyId;
  readonly blocked: boolean;
}

export const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Lets in the tenants that the host knows already, each with the token that it has already. */
export const tenantAuthenticate =
  (tenantsByDigest: ReadonlyMap<string, Tenant>): Authenticate =>
  (apiKey) =>
    TE.fromIOEither(() => {
      const tenant = tenantsByDigest.get(digestOf(apiKey));
      return tenant === undefined || tenant.blocked
        ? { _tag: 'Left', left: invalidApiKey }
        : { _tag: 'Right', right: tenant.id };
    });
