import * as t from 'io-ts';
import { described } from './described';

/** Tells an IdempotencyKey from any string. */
export interface IdempotencyKeyBrand {
  readonly IdempotencyKey: unique symbol;
}

const visibleAscii = /^[\x20-\x7e]{1,255}$/;

/** Names one creation, so that a retry of it creates nothing more: 1 to 255 printable ASCII characters. */
export const IdempotencyKey = described(
  t.brand(
    t.string,
    (key): key is t.Branded<string, IdempotencyKeyBrand> => visibleAscii.test(key),
    'IdempotencyKey',
  ),
  '1 to 255 printable ASCII characters',
);
export type IdempotencyKey = t.TypeOf<typeof IdempotencyKey>;
