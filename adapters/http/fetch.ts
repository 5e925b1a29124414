/** Public exports of `animal-store/fetch`, for frameworks with Request and Response. Needs neither Koa nor Node. */
import * as E from 'fp-ts/Either';
import { bodyIncomplete, type BodyResult, bodyTooLarge } from './message/failures';
import { requestLimits } from './message/limits';
import { answer, type StoreAccess } from './operations/answer';
import type { Headers } from './operations/headers';
import { failureOfMethods, methodsOf, operationsHint, petOperations } from './operations/pet-operations';
import type { PetOperation, PetRequest } from './operations/pet-request';
import { RequestRecord } from './operations/request-record';

/** Options of `petRoutesHandler`. */
export interface PetRoutesHandlerOptions extends StoreAccess<Request> {
  /**
   * Receives the cause of each 500 and 503, and the `X-Request-Id` of the response. Must not throw. The default logs
   * both.
   */
  readonly onError?: ((cause: unknown, request: Request, requestId: string) => void) | undefined;
}

/**
 * Makes a function that answers requests to the operations, with the same replies as `mountPetRoutes`. The path may
 * have a prefix, such as `/zoo/v1/pets`. With a valid key, other paths get a 404, and other methods a 405.
 * @example const handle = petRoutesHandler({ openStore: storeOpener(ports) });
 */
export const petRoutesHandler =
  ({ onError = logError, ...access }: PetRoutesHandlerOptions) =>
  async (request: Request): Promise<Response> => {
    const { method } = request;
    const { pathname, search } = new URL(request.url);
    const { operation, petIdText } = route(method, pathname);
    const record = new RequestRecord(request.headers.get('X-Request-Id'));
    let bodyResult: Promise<BodyResult> | undefined;
    const readOnce = (): Promise<BodyResult> => (bodyResult ??= readBody(request));
    const petRequest: PetRequest = {
      record,
      petIdText,
      query: search.slice(1),
      header: (name) => request.headers.get(name) ?? undefined,
      hasBody: () => hasBody(request, () => record.deadline.pauseUntil(readOnce())),
      readBody: readOnce,
    };
    const { status, headers, body } = await answer(access, request, petRequest, operation);
    record.reportCause((cause) => {
      onError(cause, request, record.id);
    });
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    // Pass null, because `Response` rejects an empty text if the status has no content, such as 204.
    return new Response(method === 'HEAD' || body === '' ? null : bytes, {
      status,
      headers: {
        ...(pathname.endsWith('/') ? belowSlash(headers) : headers),
        // Sets the length that a GET would have, because Bun and Deno would otherwise send `Content-Length: 0`.
        ...(method === 'HEAD' && { 'Content-Length': String(bytes.length) }),
      },
    });
  };

const logError = (cause: unknown, _request: Request, requestId: string): void => {
  // eslint-disable-next-line no-console -- a host without `onError` must find out why a request failed
  console.error(`animal-store: request ${requestId} failed:`, cause);
};

const routes = Object.values(petOperations).map((operation) => ({
  operation,
  pattern: new RegExp(`${operation.path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}/?$`),
}));

/**
 * Finds the operation by the end of the path. The path may have a prefix. It may also end with a slash, because some
 * frameworks redirect to such a path. Without a match, returns an operation that fails, so that `answer` checks the API
 * key first.
 */
const route = (method: string, path: string) => {
  const atPath = routes.flatMap(({ operation, pattern }) => {
    const match = pattern.exec(path);
    return match === null ? [] : [{ operation, petIdText: decodeSegment(match.groups?.['petId'] ?? '') }];
  });
  const found = atPath.find(({ operation }) => methodsOf(operation).includes(method));
  if (found !== undefined) return found;
  const allowed = atPath.flatMap(({ operation }) => methodsOf(operation));
  const failure = failureOfMethods(allowed, operationsHint);
  const operation: Pick<PetOperation, 'handle'> = { handle: () => Promise.resolve(E.left(failure)) };
  return { operation, petIdText: '' };
};

const decodeSegment = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/**
 * Reports whether a request has a body. Reads the body if no header announces it, because a Request that a program has
 * made has a stream even for an empty body.
 */
const hasBody = async ({ headers, body }: Request, read: () => Promise<BodyResult>): Promise<boolean> => {
  if (body === null) return false;
  if (headers.has('Transfer-Encoding')) return true;
  const length = headers.get('Content-Length');
  if (length !== null) return Number(length) > 0;
  const result = await read();
  return E.isLeft(result) || result.right.length > 0;
};

const readBody = ({ body, bodyUsed }: Request): Promise<BodyResult> => {
  if (bodyUsed || body?.locked === true) {
    const cause = new Error(
      'call the handler before you read the body of its request: the body was already read',
    );
    return Promise.resolve(E.left({ _tag: 'Defect', cause }));
  }
  if (body === null) return Promise.resolve(E.right(new Uint8Array()));
  return collectStream(body).catch(() => E.left(bodyIncomplete));
};

/**
 * Collects a body. Never cancels it, because some hosts would then reset the connection, and version 1 of the framework
 * h3 would end its process.
 */
const collectStream = async (body: ReadableStream<Uint8Array>): Promise<BodyResult> => {
  const reader = body.getReader();
  const bytes = new Uint8Array(requestLimits.bodyBytes);
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return E.right(bytes.subarray(0, length));
    if (length + value.length > requestLimits.bodyBytes) {
      await discard(reader);
      return E.left(bodyTooLarge);
    }
    bytes.set(value, length);
    length += value.length;
  }
};

/**
 * Discards the rest of a body that is too large, so that the client can read the response. Stops at the limits
 * `discardedBytes` and `discardMs`.
 */
const discard = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> => {
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, requestLimits.discardMs)));
  const discardAll = async (): Promise<void> => {
    for (let length = 0; length <= requestLimits.discardedBytes;) {
      const { done, value } = await reader.read();
      if (done) return;
      length += value.length;
    }
  };
  await Promise.race([late, discardAll()]).catch(() => undefined);
  clearTimeout(timer);
};

/**
 * Adds `../` to the relative URLs of a reply to a request whose path ends with a slash, because that path is one level
 * deeper.
 */
const belowSlash = ({ Location, Link, ...headers }: Headers): Headers => ({
  ...headers,
  ...(Location !== undefined && { Location: `../${Location}` }),
  ...(Link !== undefined && { Link: Link.replace('<../', '<../../') }),
});
