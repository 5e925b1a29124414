import * as t from 'io-ts';
import { described } from './described';

/** Tells an ApiKey from any string. */
export interface ApiKeyBrand {
  readonly ApiKey: unique symbol;
}

const token = /^[A-Za-z0-9\-._~+/]+=*$/;

/** What a caller shows to be let in: the characters that a bearer credential may have (RFC 6750, section 2.1). */
export const ApiKey = described(
  t.brand(t.string, (key): key is t.Branded<string, ApiKeyBrand> => token.test(key), 'ApiKey'),
  'letters, digits and -._~+/ with = at the end only',
);
export type ApiKey = t.TypeOf<typeof ApiKey>;
