/** A row of `api_keys`; times are ISO 8601 in UTC. */
export interface ApiKeyRow {
  readonly id: string;
  /** Null: the key is its own owner, by its id. */
  readonly owner: string | null;
  readonly name: string;
  readonly digest: string;
  readonly last_four: string;
  readonly created_at: string;
  readonly revoked_at: string | null;
  readonly expires_at: string | null;
}

/** Whether a key has reached its end; one that can't be read is taken for over. */
export const hasExpired = ({ expires_at }: Pick<ApiKeyRow, 'expires_at'>, now: number): boolean =>
  expires_at !== null && !(now < Date.parse(expires_at));

/** Whether a key is valid at a time, in milliseconds since 1970. */
export const isValid = (row: Pick<ApiKeyRow, 'revoked_at' | 'expires_at'>, now: number): boolean =>
  row.revoked_at === null && !hasExpired(row, now);
