import { pipe } from 'fp-ts/function';
import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Answer } from '../responses/answer';
import type { Defect } from '../responses/http-failures';

/** How the bytes of a file are sent. */
type Encode = (bytes: Buffer) => Promise<Buffer>;

const asTheyAre: Encode = (bytes) => Promise.resolve(bytes);

const etagOf = (bytes: Buffer): string => `"${createHash('sha256').update(bytes).digest('base64url')}"`;

const read = (path: string, headers: Answer['headers'], encode: Encode): TE.TaskEither<Defect, Answer> =>
  pipe(
    TE.tryCatch(
      () => readFile(path).then(encode),
      (cause): Defect => ({ _tag: 'Defect', cause }),
    ),
    TE.map((body) => ({
      status: 200,
      body,
      // Kept by the browser, and asked after each time: an upgrade shows at once.
      headers: { 'Cache-Control': 'no-cache', ETag: etagOf(body), ...headers },
    })),
  );

/** A text file that comes with the service. It is read when it is first asked for, then kept: all answers share its bytes. */
export const textFile = (
  path: string,
  headers: Answer['headers'],
  encode = asTheyAre,
): TE.TaskEither<Defect, Answer> => {
  const reading = read(path, headers, encode);
  let kept: Promise<E.Either<Defect, Answer>> | undefined;
  return () =>
    (kept ??= reading().then((ended) => {
      if (E.isLeft(ended)) kept = undefined;
      return ended;
    }));
};
