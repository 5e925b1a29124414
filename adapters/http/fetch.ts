/** Exports of `animal-store/fetch`, for programs that answer a Request with a Response. Loads no Koa. */
import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { OpenAnimalStore } from '../../core';
import { type AuthenticateRequest, callerAndQuotaOf, quotaHeaders, readApiKey } from './authentication';
import type { HttpFailure } from './errors';
import { type Handle, maxBodyBytes, type PetRequest } from './handlers/request';
import { methodsOf, operationsHint, petOperations } from './operations';
import { failureReply, type Headers, maxResponseMs, notAnswered, type Reply } from './reply';

/** Options of `petRoutesHandler`. */
export interface PetRoutesHandlerOptions {
  /** Opens the store with an API key: the result of `openAnimalStore(ports)`. */
  readonly openStore: OpenAnimalStore;
  /** Returns the API key of a request, such as the key in its session. The default is the key in `Authorization`. */
  readonly authenticateRequest?: AuthenticateRequest<Request> | undefined;
  /** Called with the cause of each 500 and 503. */
  readonly onError?: ((cause: unknown, request: Request) => void) | undefined;
}

const decodeSegment = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Finds the operation for a path behind any prefix, such as `/api` of `/api/v1/pets`. */
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

const tooLarge: HttpFailure = { _tag: 'PayloadTooLarge' };

const readBody = async ({ body, headers }: Request): Promise<E.Either<HttpFailure, Uint8Array>> => {
  if (Number(headers.get('Content-Length') ?? 0) > maxBodyBytes) return E.left(tooLarge);
  const bytes = new Uint8Array(maxBodyBytes);
  let length = 0;
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = body?.getReader();
  for (;;) {
    const { done, value = new Uint8Array() } = (await reader?.read()) ?? { done: true };
    if (done) return E.right(bytes.subarray(0, length));
    if (length + value.length > maxBodyBytes) {
      await reader?.cancel();
      return E.left(tooLarge);
    }
    bytes.set(value, length);
    length += value.length;
  }
};

/** Ends a task as Unavailable when its time is over. The task continues, but its outcome is ignored. */
const endInTime = async (
  task: TaskEither<HttpFailure, Reply>,
  timeLeft: () => number,
): Promise<E.Either<HttpFailure, Reply>> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<E.Either<HttpFailure, Reply>>((resolve) => {
    const check = (): void => {
      if (timeLeft() > 0) timer = setTimeout(check, timeLeft());
      else resolve(E.left(notAnswered()));
    };
    check();
  });
  return Promise.race([late, task()])
    .catch((cause: unknown) => E.left<HttpFailure>({ _tag: 'Defect', cause }))
    .finally(() => {
      clearTimeout(timer);
    });
};

/** Makes a function that answers requests for animals, at paths such as `/zoo/v1/pets`, like `mountPetRoutes`. */
export const petRoutesHandler =
  ({ openStore, authenticateRequest, onError }: PetRoutesHandlerOptions) =>
  async (request: Request): Promise<Response> => {
    let deadline = performance.now() + maxResponseMs;
    const { handle, headers: routeHeaders, petId } = route(request);
    let quota: Headers = {};
    const petRequest: PetRequest = {
      petId,
      query: new URL(request.url).search.slice(1),
      header: (name) => request.headers.get(name) ?? undefined,
      hasBody: request.body !== null,
      readBody: async () => {
        const body = await readBody(request);
        deadline = performance.now() + maxResponseMs;
        return body;
      },
      deadline: () => deadline,
    };
    const answer = async (): ReturnType<Handle> => {
      const key = await readApiKey(request, petRequest.header('authorization'), authenticateRequest);
      if (E.isLeft(key)) return key;
      const store = await openStore(key.right, deadline)();
      quota = quotaHeaders(callerAndQuotaOf(store)?.quota);
      return E.isLeft(store) ? store : handle(store.right, petRequest);
    };
    const outcome = await endInTime(answer, () => deadline - performance.now());
    if (E.isLeft(outcome) && 'cause' in outcome.left) onError?.(outcome.left.cause, request);
    const { status, headers, body } = E.isLeft(outcome) ? failureReply(outcome.left) : outcome.right;
    return new Response(request.method === 'HEAD' ? null : body, {
      status,
      headers: { ...routeHeaders, ...quota, ...headers },
    });
  };
