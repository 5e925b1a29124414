import * as E from 'fp-ts/Either';
import type { IncomingMessage } from 'node:http';
import { parseJson, serialisePet } from '../../json';
import { deadlineFromNow, type PetContext, succeed } from '../context';
import { fail, type HttpFailure } from '../errors';

const quotedText = String.raw`"((?:[ !#-\[\]-~]|\\["\\]){1,255})"`;
// An idempotency key without quotes must not contain a comma. Node joins repeated headers with a comma, so two keys
// would be read as a single key.
const bareText = String.raw`([!#-+\--\[\]-~]{1,255})`;

// A String of RFC 8941, section 3.3.3, without parameters, or a key without quotes.
const keyText = `(?:${quotedText}|${bareText})`;

const keyInSpaces = new RegExp(`^ *${keyText} *$`);

const parseIdempotencyKey = (header: string): E.Either<HttpFailure, string> => {
  const [, quoted, bare] = keyInSpaces.exec(header) ?? [];
  const key = quoted?.replace(/\\(.)/g, '$1') ?? bare;
  return key === undefined ? E.left({ _tag: 'InvalidIdempotencyKey' }) : E.right(key);
};

const jsonInUtf8 = /^application\/json *(?:; *charset=(?:utf-8|"utf-8") *)?$/i;

const unsupported = (expected: string): HttpFailure => ({ _tag: 'UnsupportedMediaType', expected });

const emptyBody: HttpFailure = { _tag: 'MalformedJson', reason: 'empty body' };

const refuseByHead = ({ headers, httpVersionMajor }: IncomingMessage): HttpFailure | undefined => {
  // Over HTTP/2, which an embedding program may serve, a body needs neither Content-Length nor Transfer-Encoding.
  const isFramed = httpVersionMajor > 1 || headers['transfer-encoding'] !== undefined;
  if (!isFramed && Number(headers['content-length'] ?? 0) === 0) return emptyBody;
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    return unsupported('send the body without a Content-Encoding');
  }
  return jsonInUtf8.test(headers['content-type'] ?? '')
    ? undefined
    : unsupported('Content-Type must be application/json, in UTF-8');
};

const maxBodyBytes = 16_000;

/**
 * Returns the body that a body parser of the host has left, as text or bytes. Returns undefined without one. A parser
 * decodes invalid UTF-8 to U+FFFD, so text with this character may differ from what the client sent.
 */
const parsedBody = (rawBody: unknown): E.Either<HttpFailure, Uint8Array> | undefined => {
  if (typeof rawBody !== 'string') return rawBody instanceof Uint8Array ? E.right(rawBody) : undefined;
  return rawBody.includes('\ufffd')
    ? E.left({ _tag: 'MalformedJson', reason: 'not valid UTF-8; send U+FFFD as \\ufffd' })
    : E.right(Buffer.from(rawBody));
};

const incomplete: HttpFailure = {
  _tag: 'MalformedRequest',
  reason: 'the request body is incomplete; send all bytes of its Content-Length, or its last chunk',
};

/** Reads a body into one buffer, because a list of one-byte chunks would take a hundred times their size. */
const readBody = (request: IncomingMessage): Promise<E.Either<HttpFailure, Buffer>> => {
  if (request.readableDidRead || request.readableEncoding !== null) {
    const cause = new Error('mount the pet routes before the body parser: the body was already read');
    return Promise.resolve(E.left({ _tag: 'Defect', cause }));
  }
  const announced = Number(request.headers['content-length'] ?? maxBodyBytes);
  if (announced > maxBodyBytes) return Promise.resolve(E.left({ _tag: 'PayloadTooLarge' }));
  if (request.destroyed) return Promise.resolve(E.left(incomplete));
  return new Promise((resolve) => {
    const body = Buffer.allocUnsafe(announced);
    let length = 0;
    const settle = (result: E.Either<HttpFailure, Buffer>): void => {
      request.off('data', onData).off('end', onEnd).off('close', onAbort).off('error', onAbort);
      resolve(result);
    };
    const onData = (chunk: Buffer): void => {
      if (length + chunk.length > body.length) {
        request.pause();
        settle(E.left({ _tag: 'PayloadTooLarge' }));
      } else length += chunk.copy(body, length);
    };
    const onEnd = (): void => {
      settle(E.right(body.subarray(0, length)));
    };
    const onAbort = (): void => {
      settle(E.left(incomplete));
    };
    request.on('data', onData).on('end', onEnd).on('close', onAbort).on('error', onAbort);
  });
};

const readJsonBody = async ({ req, request }: PetContext): Promise<E.Either<HttpFailure, unknown>> => {
  const refusal = refuseByHead(req);
  if (refusal !== undefined) return E.left(refusal);
  const parsed = 'rawBody' in request ? parsedBody(request.rawBody) : undefined;
  const body = parsed ?? (await readBody(req));
  if (E.isLeft(body)) return body;
  if (body.right.length > maxBodyBytes) return E.left({ _tag: 'PayloadTooLarge' });
  return body.right.length === 0 ? E.left(emptyBody) : parseJson(body.right);
};

/** Handles `POST /v1/pets`, for the operation `createPet` in operations.ts. */
export const handleCreatePet = async (context: PetContext): Promise<void> => {
  const header = context.req.headers['idempotency-key'];
  const key = header === undefined ? E.right(undefined) : parseIdempotencyKey(header.toString());
  if (E.isLeft(key)) {
    fail(context, key.left);
    return;
  }
  const isBodyLate = !context.req.complete;
  const body = await readJsonBody(context);
  if (E.isLeft(body)) {
    fail(context, body.left);
    return;
  }
  const deadline = isBodyLate ? deadlineFromNow() : context.state.deadline;
  const created = await context.state.store.createPet(body.right, key.right, deadline)();
  if (E.isLeft(created)) {
    fail(context, created.left);
    return;
  }
  const { pet, replayed } = created.right;
  succeed(context, serialisePet(pet));
  // A relative address works behind any path prefix (RFC 9110, section 10.2.2).
  context.set('Location', `pets/${pet.id}`);
  if (replayed) context.set('Idempotent-Replayed', 'true');
};
