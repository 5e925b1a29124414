import { hash, randomBytes } from 'node:crypto';
import { ApiKey, decodeOrThrow } from '../../../core';

/** Row of `api_keys`. Times are ISO 8601 in UTC. */
export interface ApiKeyRow {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly digest: string;
  readonly last_four: string;
  readonly created_at: string;
  readonly revoked_at: string | null;
  readonly expires_at: string | null;
  /** Lifetime when the key was issued, which its successor gets too. A rotation shortens only `expires_at`. */
  readonly lifetime_ms: number | string | null;
}

/** Counts an invalid time as expired. */
export const hasExpired = ({ expires_at }: Pick<ApiKeyRow, 'expires_at'>, now: number): boolean =>
  expires_at !== null && !(now < Date.parse(expires_at));

export const isValid = (row: Pick<ApiKeyRow, 'revoked_at' | 'expires_at'>, now: number): boolean =>
  row.revoked_at === null && !hasExpired(row, now);

const format = /^animals_([0-9a-f]{16})_[\w-]{43}$/;

export const newApiKey = (): { readonly id: string; readonly key: ApiKey } => {
  const id = randomBytes(8).toString('hex');
  return { id, key: decodeOrThrow(ApiKey, `animals_${id}_${randomBytes(32).toString('base64url')}`) };
};

export const keyIdOf = (key: string): string | undefined => format.exec(key)?.[1];

/** Returns the SHA-256 of a key. 256 random bits need no slow hash. */
export const digestOf = (key: string): Buffer =>
  // Hashing to text costs half of hashing to a Buffer, which allocates memory outside the pool.
  Buffer.from(hash('sha256', key), 'hex');
