import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { inMemoryPetRepository } from '../../../adapters/in-memory';
import {
  type Authenticate,
  callerOf,
  type ConsumeQuota,
  decodeOrThrow,
  idempotencyKeyInFlight,
  type OperationName,
  PetCodec,
  petDeleted,
  unavailable,
} from '../../../core';
import { type RawAnswer, rawExchange } from '../http/raw-connection';
import { byKey, key, startServer } from '../http/start-server';
import { requestBytes, type RequestOptions } from '../service/service-under-test';

export const json = { 'Content-Type': 'application/json' };
export const rex = { name: 'Rex', categoryId: 7, status: 'available' };

export const requestText = (method: string, target: string, options: RequestOptions = {}): string =>
  requestBytes(method, target, { key, ...options }).toString('latin1');

export const create = (body: string, headers: Readonly<Record<string, string>> = {}): string =>
  requestText('POST', '/v1/pets', { headers: { ...json, ...headers }, body: Buffer.from(body, 'latin1') });

/** Id for which the program reports that no animal has it. */
const missingId = 404n;

export type Mode =
  'works' | 'throws' | 'isUnavailable' | 'isInFlight' | 'isDeleted' | 'isExhausted' | 'isReadOnly';

/** Request and the state of the program in which it fails. */
type Provocation = Readonly<{ request: string; mode?: Mode }>;

export const common = (request: string): Readonly<Record<string, Provocation>> => ({
  MalformedRequest: { request: request.replace('Host: localhost', 'Host: localhost\r\nHost: localhost') },
  MissingApiKey: { request: request.replace(/Authorization: .*\r\n/, '') },
  MalformedApiKey: { request: request.replace('Bearer ', 'Bearer Bearer ') },
  InvalidApiKey: { request: request.replace('Bearer ', 'Bearer not-') },
  RateLimited: { request, mode: 'isExhausted' },
  Defect: { request, mode: 'throws' },
  Unavailable: { request, mode: 'isUnavailable' },
});

export const firstCreate = create(JSON.stringify(rex), {
  'X-Request-Id': '1f0c2a4e-5d1b-4a57-9a0e-2b1f3c5d7e90',
});

/** For each operation, a request that succeeds and the requests that fail. */
export const provocations: Readonly<
  Record<OperationName, readonly [string, Readonly<Record<string, Provocation>>]>
> = {
  listPets: [
    requestText('GET', '/v1/pets?limit=1'),
    { InvalidQuery: { request: requestText('GET', '/v1/pets?limit=0') } },
  ],
  createPet: [
    firstCreate,
    {
      InvalidBody: { request: create('{"name":1}') },
      MalformedJson: { request: create('\xff') },
      InvalidIdempotencyKey: { request: create('{}', { 'Idempotency-Key': 'two words' }) },
      ReadOnlyApiKey: { request: firstCreate, mode: 'isReadOnly' },
      IdempotencyKeyInFlight: { request: firstCreate, mode: 'isInFlight' },
      PetDeleted: { request: firstCreate, mode: 'isDeleted' },
      PayloadTooLarge: { request: create(' '.repeat(16_001)) },
      UnsupportedMediaType: { request: create('{}', { 'Content-Type': 'text/plain' }) },
      IdempotencyKeyReused: {
        request: create('{"name":"other","categoryId":1}', { 'Idempotency-Key': 'one' }),
      },
    },
  ],
  getPet: [
    requestText('GET', '/v1/pets/1'),
    { PetNotFound: { request: requestText('GET', `/v1/pets/${missingId}`) } },
  ],
};

/** Starts the program with or without a rate limit. Returns functions that send a request to it. */
export const startProgram = async (isLimited: boolean) => {
  let mode: Mode = 'works';
  const stored = inMemoryPetRepository();
  const orFailure = <F, A>(call: () => TE.TaskEither<F, A>) => {
    if (mode === 'throws') throw new Error('a defect');
    return mode === 'isUnavailable' ? TE.left(unavailable(new Error('no answer'))) : call();
  };
  const consumeQuota: ConsumeQuota = () => {
    const isWithin = mode !== 'isExhausted';
    const [remaining, resetsInSeconds] = isWithin ? [9, 60] : [0, 30];
    return TE.right({ requests: 10, seconds: 60, isWithin, remaining, resetsInSeconds });
  };
  const authenticate: Authenticate = (apiKey) =>
    pipe(
      byKey(apiKey),
      TE.map(({ keyId, ownerId }) => callerOf(keyId, ownerId, { isReadOnly: mode === 'isReadOnly' })),
    );
  const { address, stop } = await startServer({
    authenticate,
    pets: {
      list: (...args) => orFailure(() => stored.list(...args)),
      find: (id, deadline) =>
        orFailure(() =>
          id === missingId ? stored.find(id, deadline) : TE.right(decodeOrThrow(PetCodec, { id: 1, ...rex })),
        ),
      create: (...args) => {
        if (mode === 'isInFlight') return TE.left(idempotencyKeyInFlight);
        if (mode === 'isDeleted') return TE.left(petDeleted);
        return orFailure(() => stored.create(...args));
      },
    },
    ...(isLimited && { consumeQuota }),
  });
  const send = (request: string, during: Mode = 'works'): Promise<RawAnswer> => {
    mode = during;
    return rawExchange(address, request);
  };
  return { send, stop: () => stop(0, 0) };
};

export type Program = Awaited<ReturnType<typeof startProgram>>;
