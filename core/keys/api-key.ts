import * as t from 'io-ts';
import { brand } from '../codecs/brand';

const token = /^[A-Za-z0-9\-._~+/]+=*$/;

/** A bearer token (RFC 6750, section 2.1: b64token). */
export const ApiKey = brand('ApiKey', t.string, {
  holds: (key) => token.test(key),
  expected: 'letters, digits and -._~+/ with = at the end only',
});
export type ApiKey = t.TypeOf<typeof ApiKey>;
