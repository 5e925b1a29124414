/** Public exports of `animal-store/fetch`, for frameworks that use Request and Response. Does not load Koa. */
import * as E from 'fp-ts/Either';
import { constTrue } from 'fp-ts/function';
import type { HttpFailure } from './errors';
import {
  failureReply,
  type Handle,
  incomplete,
  maxBodyBytes,
  newPetRequest,
  type PetRequest,
  tooLarge,
} from './messages';
import { answer, methodsOf, operationsHint, petOperations, type StoreAccess } from './pet-operations';

/** Options of `petRoutesHandler`. */
export interface PetRoutesHandlerOptions extends StoreAccess<Request> {
  /** Receives the cause of each 500 and 503. Must not throw. */
  readonly onError?: ((cause: unknown, request: Request) => void) | undefined;
}

const decodeSegment = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/**
 * Finds the operation by the end of the path, which may have a prefix. Without a match, the returned `handle` fails.
 */
const route = ({ method, url }: Request) => {
  const [path, petId] = /\/v1\/pets(?:\/([^/]+))?$/.exec(new URL(url).pathname) ?? [];
  const atPath = Object.values(petOperations).filter(
    (operation) => path !== undefined && operation.path.endsWith('/:petId') === (petId !== undefined),
  );
  const unmatched: HttpFailure =
    path === undefined
      ? { _tag: 'RouteNotFound', hint: operationsHint }
      : { _tag: 'MethodNotAllowed', allowed: atPath.flatMap(methodsOf).sort() };
  const operation = atPath.find((each) => methodsOf(each).includes(method));
  return {
    handle: operation?.handle ?? ((): ReturnType<Handle> => Promise.resolve(E.left(unmatched))),
    headers: operation?.headers,
    petId: decodeSegment(petId ?? ''),
  };
};

const readBody = async ({ body, bodyUsed, headers }: Request): Promise<E.Either<HttpFailure, Uint8Array>> => {
  if (bodyUsed || body?.locked === true) {
    const cause = new Error(
      'call the handler before you read the body of its request: the body was already read',
    );
    return E.left({ _tag: 'Defect', cause });
  }
  if (Number(headers.get('Content-Length') ?? 0) > maxBodyBytes) return E.left(tooLarge);
  const chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array> = body ?? [];
  const bytes = new Uint8Array(maxBodyBytes);
  let length = 0;
  for await (const chunk of chunks) {
    if (length + chunk.length > maxBodyBytes) return E.left(tooLarge);
    bytes.set(chunk, length);
    length += chunk.length;
  }
  return E.right(bytes.subarray(0, length));
};

const toPetRequest = (request: Request, petId: string): PetRequest =>
  newPetRequest(
    {
      petId,
      query: new URL(request.url).search.slice(1),
      header: (name) => request.headers.get(name) ?? undefined,
      hasBody: request.body !== null,
      readBody: () => readBody(request).catch(() => E.left(incomplete)),
    },
    constTrue,
  );

/**
 * Makes a function that answers requests to the operations, with the same replies as `mountPetRoutes`. The path may
 * have a prefix, such as `/zoo/v1/pets`. With a valid key, other paths get a 404, and other methods a 405.
 */
export const petRoutesHandler =
  ({ onError, ...access }: PetRoutesHandlerOptions) =>
  async (request: Request): Promise<Response> => {
    const { handle, headers: routeHeaders, petId } = route(request);
    const { outcome, headers: quotaHeaders } = await answer(
      access,
      request,
      toPetRequest(request, petId),
      handle,
    );
    if (E.isLeft(outcome) && 'cause' in outcome.left) onError?.(outcome.left.cause, request);
    const { status, headers, body } = E.isLeft(outcome) ? failureReply(outcome.left) : outcome.right;
    // `Response` rejects even an empty body for a status without content, such as 204.
    return new Response(request.method === 'HEAD' || body === '' ? null : body, {
      status,
      headers: { ...routeHeaders, ...quotaHeaders, ...headers },
    });
  };
