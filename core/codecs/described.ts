import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as t from 'io-ts';

/** The same codec, whose failure says what was expected and never shows what came. */
export const described = <A, O>(codec: t.Type<A, O>, expected: string): t.Type<A, O> =>
  new t.Type<A, O, unknown>(
    codec.name,
    codec.is,
    (input, context) =>
      pipe(
        codec.validate(input, context),
        E.orElse(() => t.failure(input, context, expected)),
      ),
    codec.encode,
  );
