import * as t from 'io-ts';
import { brand } from '../codecs/brand';

const visibleAscii = /^[\x20-\x7e]{1,255}$/;

/** Names one creation, so that a retry of it creates nothing more: 1 to 255 printable ASCII characters. */
export const IdempotencyKey = brand('IdempotencyKey', t.string, {
  holds: (key) => visibleAscii.test(key),
  expected: '1 to 255 printable ASCII characters',
});
export type IdempotencyKey = t.TypeOf<typeof IdempotencyKey>;
