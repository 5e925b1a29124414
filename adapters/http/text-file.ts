import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Answer } from './answer';
import type { Defect } from './http-failures';

const etagOf = (bytes: Buffer): string => `"${createHash('sha256').update(bytes).digest('base64url')}"`;

const read = (path: string, headers: Answer['headers']): TE.TaskEither<Defect, Answer> =>
  pipe(
    TE.tryCatch(
      () => readFile(path),
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
export const textFile = (path: string, headers: Answer['headers']): TE.TaskEither<Defect, Answer> => {
  let kept: Answer | undefined;
  return pipe(
    TE.fromIO(() => kept),
    TE.flatMap((known) => (known === undefined ? read(path, headers) : TE.right(known))),
    TE.tapIO((answer) => () => {
      kept = answer;
    }),
  );
};
