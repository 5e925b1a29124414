import { type ContentType, parse } from 'content-type';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type * as TE from 'fp-ts/TaskEither';
import type { Context } from 'koa';
import getRawBody from 'raw-body';
import type {
  MalformedJson,
  MalformedRequest,
  PayloadTooLarge,
  UnsupportedMediaType,
} from '../responses/http-failures';
import { andThen } from '../and-then';
import { parseJson } from '../representation/parse-json';

/** In bytes. */
const maxBodySize = 100_000;

/** Why a body is no JSON. */
export type Unreadable = MalformedRequest | PayloadTooLarge | UnsupportedMediaType | MalformedJson;

const unsupported = (expected: string): UnsupportedMediaType => ({ _tag: 'UnsupportedMediaType', expected });

const checkEncoding = ({ headers }: Context['req']): E.Either<UnsupportedMediaType, void> =>
  ['', 'identity'].includes(headers['content-encoding']?.trim().toLowerCase() ?? '')
    ? E.right(undefined)
    : E.left(unsupported('the body must come without a Content-Encoding'));

const isJsonInUtf8 = ({ type, parameters: { charset = 'utf-8' } }: ContentType): boolean =>
  type === 'application/json' && charset.toLowerCase() === 'utf-8';

const checkType = ({ request }: Context): E.Either<UnsupportedMediaType, void> =>
  isJsonInUtf8(parse(request.headers['content-type'] ?? ''))
    ? E.right(undefined)
    : E.left(unsupported('the body must be application/json, in UTF-8'));

const toUnreadable = (error: unknown): Unreadable =>
  error instanceof Error && 'type' in error && error.type === 'entity.too.large'
    ? { _tag: 'PayloadTooLarge' }
    : { _tag: 'MalformedRequest', reason: 'the body ended before its announced length' };

const readBytes = async ({ req, res }: Context): Promise<E.Either<Unreadable, Buffer>> => {
  const length = req.headers['content-length'] ?? null;
  // HTTP/1.0 knows no interim answers (RFC 9110, section 10.1.1).
  const isExpected = req.headers.expect !== undefined && req.httpVersion === '1.1';
  if (isExpected && Number(length) <= maxBodySize) res.writeContinue();
  try {
    return E.right(await getRawBody(req, { limit: maxBodySize, length }));
  } catch (error) {
    return E.left(toUnreadable(error));
  }
};

/** Reads the body once its head is acceptable, and parses it. */
export const readJsonBody = (context: Context): TE.TaskEither<Unreadable, unknown> =>
  pipe(
    checkEncoding(context.req),
    E.flatMap(() => checkType(context)),
    andThen(() => async () => {
      const bytes = await readBytes(context);
      return E.isLeft(bytes) ? bytes : parseJson(bytes.right);
    }),
  );
