import * as E from 'fp-ts/Either';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyIncomplete, type BodyResult, bodyTooLarge } from './failures';
import { requestLimits } from './limits';

/**
 * Request, with facts that the HTTP server adds and the application reads. They are fields, because an entry in a
 * WeakMap takes 2 µs.
 */
export interface ServedRequest extends IncomingMessage {
  /** Time for which `RequestQueue` held the request. It counts towards the deadline. */
  heldMs?: number;
  /** Body that the server has begun to collect, because not all of it came with the head. */
  lateBody?: Promise<BodyResult>;
}

/** True if `written` is `name` in upper or lower case. `name` is in lower case. Compares lengths first, for speed. */
export const isHeaderName = (written: string, name: string): boolean =>
  written.length === name.length && written.toLowerCase() === name;

/**
 * Returns a header. `name` is in lower case. Joins the values of a repeated header by commas, so that a request with two
 * API keys is not authenticated by the first key. Node's `headers` has only the first Authorization and Content-Type.
 */
export const headerOf = (
  { headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>,
  name: string,
): string | undefined => {
  if (name !== 'authorization' && name !== 'content-type') return headers[name]?.toString();
  const values: Array<string> = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (isHeaderName(rawHeaders[index] ?? '', name)) values.push(rawHeaders[index + 1] ?? '');
  }
  return values.length === 0 ? headers[name] : values.join(', ');
};

/** True if a body may follow the head. In HTTP/2, which an embedding program may serve, a body needs no header. */
export const hasBody = ({ headers, httpVersionMajor }: IncomingMessage): boolean =>
  httpVersionMajor > 1 ||
  headers['transfer-encoding'] !== undefined ||
  Number(headers['content-length'] ?? 0) > 0;

/** Begins to collect a body for `readBody`. Does nothing if all of the body has arrived. */
export const beginToCollectBody = (request: ServedRequest): void => {
  if (!hasWholeBody(request)) request.lateBody = collectBody(request);
};

/**
 * Returns the body, from `rawBody` if an embedding program's body parser has set it. Fails if it is larger than
 * `bodyBytes`.
 */
export const readBody = async (request: ServedRequest, rawBody: unknown): Promise<BodyResult> => {
  const body = parsedBody(rawBody) ?? (await (request.lateBody ?? collectBody(request)));
  return E.isRight(body) && body.right.length > requestLimits.bodyBytes ? E.left(bodyTooLarge) : body;
};

const hasWholeBody = ({ headers, readableLength }: IncomingMessage): boolean =>
  readableLength === Number(headers['content-length']);

/**
 * Reads a body. Fails if it is too large, incomplete, or already read by a body parser. Copies the chunks of a body
 * into one buffer, because even a chunk of one byte would take 400 bytes in a list.
 */
const collectBody = async (request: IncomingMessage): Promise<BodyResult> => {
  if (request.readableDidRead || request.readableEncoding !== null) {
    const cause = new Error('mount the pet routes before the body parser: the body was already read');
    return E.left({ _tag: 'Defect', cause });
  }
  const announced = Number(request.headers['content-length'] ?? requestLimits.bodyBytes);
  if (announced > requestLimits.bodyBytes) return E.left(bodyTooLarge);
  if (request.destroyed) return E.left(bodyIncomplete);
  const whole: unknown = hasWholeBody(request) ? request.read(announced) : undefined;
  if (whole instanceof Uint8Array) return E.right(whole);
  return new Promise((resolve) => {
    const body = Buffer.allocUnsafe(announced);
    let length = 0;
    const endIncomplete = (): void => {
      resolve(E.left(bodyIncomplete));
    };
    request.on('data', (chunk: Buffer) => {
      if (length + chunk.length > body.length) resolve(E.left(bodyTooLarge));
      else length += chunk.copy(body, length);
    });
    request.on('end', () => {
      resolve(E.right(body.subarray(0, length)));
    });
    request.on('close', endIncomplete).on('error', endIncomplete);
  });
};

/**
 * Returns the text or bytes that a body parser of the embedding program has read, or undefined without such a parser.
 * Rejects text with U+FFFD, because it may stand for invalid UTF-8 that the parser has replaced.
 */
const parsedBody = (rawBody: unknown): BodyResult | undefined => {
  if (typeof rawBody !== 'string') return rawBody instanceof Uint8Array ? E.right(rawBody) : undefined;
  return rawBody.includes('\ufffd')
    ? E.left({ _tag: 'MalformedJson', reason: 'not valid UTF-8; send U+FFFD as \\ufffd' })
    : E.right(Buffer.from(rawBody));
};

/** Sends 100 (Continue) only when the body is read, so that a client need not send a body that is rejected earlier. */
export const continueOnceRead = (request: IncomingMessage, response: ServerResponse): void => {
  const onListener = (event: string | symbol): void => {
    if (event !== 'data' && event !== 'readable') return;
    request.off('newListener', onListener);
    if (!response.headersSent && !response.destroyed) response.writeContinue();
  };
  request.on('newListener', onListener);
};

/**
 * Discards the rest of a body, and resolves to true once all of it has arrived. Resolves to false after
 * `discardedBytes` or `discardMs`, if the connection closes, or if the client still waits for a 100 (Continue).
 */
export const drainBody = (request: IncomingMessage): Promise<boolean> => {
  if (request.headers.expect !== undefined && !request.readableDidRead) return Promise.resolve(false);
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      request.off('end', finish).off('close', finish).off('data', onData);
      resolve(request.complete);
    };
    const timer = setTimeout(finish, requestLimits.discardMs);
    let bytes = 0;
    const onData = ({ length }: Buffer): void => {
      bytes += length;
      if (bytes > requestLimits.discardedBytes) finish();
    };
    request.on('end', finish).on('close', finish).on('data', onData).resume();
  });
};
