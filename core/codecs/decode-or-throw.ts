import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type * as t from 'io-ts';
import { fieldErrorTexts } from './field-error-texts';
import { fieldErrors } from './field-errors';

/**
 * A value that the program itself wrote, as in `decodeOrThrow(PageSize, 20)`. Throws a TypeError that names each bad
 * field. What comes from outside goes through the codec's own `decode`, which answers with an Either.
 */
export const decodeOrThrow = <A>(codec: t.Type<A, unknown>, value: unknown): A =>
  pipe(
    codec.decode(value),
    E.getOrElse((errors): A => {
      throw new TypeError(`no ${codec.name}: ${fieldErrorTexts(fieldErrors(errors)).join('; ')}`);
    }),
  );
