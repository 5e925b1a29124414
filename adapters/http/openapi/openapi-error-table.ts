import { pipe } from 'fp-ts/function';
import * as NEA from 'fp-ts/NonEmptyArray';
import type { ErrorBody } from '../responses/failure-response';
import { exampleResponses } from './example-responses';

const escaped = (text: string): string => text.replace(/[<|]/g, '\\$&');

const rowOf = (errors: NEA.NonEmptyArray<ErrorBody>): string => {
  const { code, status } = NEA.head(errors);
  return `| \`${code}\` | ${status} | ${errors.map(({ message }) => escaped(message)).join('; or: ')} |`;
};

/** Every code that an Error can have, with its status and what is said with it, as a Markdown table. */
export const openApiErrorTable = [
  '| `code` | `status` | `message`, such as |',
  '|---|---|---|',
  ...pipe(
    Object.values(exampleResponses).map(({ error }) => error),
    NEA.groupBy(({ code }) => code),
    (byCode) => Object.values(byCode).map(rowOf).sort(),
  ),
].join('\n');
