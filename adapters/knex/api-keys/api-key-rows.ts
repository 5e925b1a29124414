/** A row of `api_keys`; times are ISO 8601 in UTC. */
export interface ApiKeyRow {
  readonly id: string;
  readonly name: string;
  readonly digest: string;
  readonly last_four: string;
  readonly created_at: string;
  readonly revoked_at: string | null;
}
