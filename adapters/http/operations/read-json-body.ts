import { type ContentType, parse } from 'content-type';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { IncomingMessage } from 'node:http';
import type { HttpRequest } from '../protocol/http-request';
import { maxBodySize } from '../protocol/limits';
import { BodyWasRead } from '../protocol/read-body';
import { type MalformedJson, parseJson } from '../representation/parse-json';
import type { HttpFailure } from '../responses/http-failures';
import { flatMap, flatMapEither } from '../task-either';

const unsupported = (expected: string): HttpFailure => ({ _tag: 'UnsupportedMediaType', expected });

const isJsonInUtf8 = ({ type, parameters: { charset = 'utf-8' } }: ContentType): boolean =>
  type === 'application/json' && charset.toLowerCase() === 'utf-8';

/** Why a body is not read at all, as far as its head tells. */
const checkHead = ({ headers, httpVersionMajor }: IncomingMessage): E.Either<HttpFailure, void> => {
  const length = headers['content-length'];
  // HTTP/2, which a host may speak, needs neither header for a body.
  const isFramed = httpVersionMajor > 1 || headers['transfer-encoding'] !== undefined;
  if (!isFramed && (length === undefined || Number(length) === 0)) {
    return E.left({
      _tag: 'MalformedJson',
      reason: length === undefined ? 'there is no body' : 'it is empty',
    });
  }
  if (!['', 'identity'].includes(headers['content-encoding']?.trim().toLowerCase() ?? '')) {
    return E.left(unsupported('the body must come without a Content-Encoding'));
  }
  return isJsonInUtf8(parse(headers['content-type'] ?? ''))
    ? E.right(undefined)
    : E.left(unsupported('the body must be application/json, in UTF-8'));
};

const toFailure = (error: unknown): HttpFailure => {
  if (error instanceof BodyWasRead) return { _tag: 'Defect', cause: error };
  return error instanceof Error && 'type' in error && error.type === 'entity.too.large'
    ? { _tag: 'PayloadTooLarge' }
    : { _tag: 'MalformedRequest', reason: 'the body ended before its announced length' };
};

const parseBody = (body: Buffer): E.Either<MalformedJson, unknown> =>
  body.length === 0 ? E.left({ _tag: 'MalformedJson', reason: 'it is empty' }) : parseJson(body);

/** Reads the body once its head is acceptable, and parses it. */
export const readJsonBody = ({ message, readBody }: HttpRequest): TE.TaskEither<HttpFailure, unknown> =>
  pipe(
    TE.fromEither(checkHead(message)),
    flatMap(() => TE.tryCatch(() => readBody(maxBodySize), toFailure)),
    flatMapEither(parseBody),
  );
