import { hash, randomBytes } from 'node:crypto';
import { ApiKey, type ApiKeyTimes, decodeOrThrow } from '../../../core';

const format = /^animals_([0-9a-f]{16})_[\w-]{43}$/;

export const newApiKey = (): { readonly id: string; readonly key: ApiKey } => {
  const id = randomBytes(8).toString('hex');
  return { id, key: decodeOrThrow(ApiKey, `animals_${id}_${randomBytes(32).toString('base64url')}`) };
};

export const keyIdOf = (key: string): string | undefined => format.exec(key)?.[1];

export const hashOf = (key: string): Buffer => hash('sha256', key, 'buffer');

/** Row of the table `api_keys`. Times are milliseconds since 1970, which PostgreSQL's driver returns as strings. */
export interface ApiKeyRow {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  /** SHA-256 of the key in hexadecimal digits. A key has 256 random bits, so it needs no slow password hash. */
  readonly hash: string;
  readonly last_four: string;
  readonly access: 'full' | 'read-only';
  readonly created_at: number | string;
  readonly revoked_at: number | string | null;
  readonly expires_at: number | string | null;
  readonly lifetime_ms: number | string | null;
  /** Time of the last recorded use, or null if the key was never used. A use is recorded at most once an hour. */
  readonly last_used_at: number | string | null;
}

export const numberOf = (value: number | string | null): number | null =>
  value === null ? null : Number(value);

export const timesOf = (row: ApiKeyRow): ApiKeyTimes => ({
  createdAt: Number(row.created_at),
  revokedAt: numberOf(row.revoked_at),
  expiresAt: numberOf(row.expires_at),
  lifetimeMs: numberOf(row.lifetime_ms),
});
