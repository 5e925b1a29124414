import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { checkMayCreate, newPetRules } from '../../../core';
import { parseJson, serialisePet } from '../../json';
import type { HttpFailure } from '../errors';
import { jsonReply } from '../reply';
import { unknownFieldsHeader } from '../unknown-fields';
import type { Handle, PetRequest } from './request';

const quotedText = String.raw`"((?:[ !#-\[\]-~]|\\["\\]){1,255})"`;
// An idempotency key without quotes must not contain a comma. Node joins repeated headers with a comma, so two keys
// would be read as a single key.
const bareText = String.raw`([!#-+\--\[\]-~]{1,255})`;

// A String of RFC 8941, section 3.3.3, without parameters, or a key without quotes.
const keyText = `(?:${quotedText}|${bareText})`;

const keyInSpaces = new RegExp(`^ *${keyText} *$`);

const readIdempotencyKey = ({ header }: PetRequest): E.Either<HttpFailure, string | undefined> => {
  const text = header('idempotency-key');
  if (text === undefined) return E.right(undefined);
  const [, quoted, bare] = keyInSpaces.exec(text) ?? [];
  const key = quoted?.replace(/\\(.)/g, '$1') ?? bare;
  return key === undefined ? E.left({ _tag: 'InvalidIdempotencyKey' }) : E.right(key);
};

const jsonInUtf8 = /^application\/json *(?:; *(?:charset=(?:utf-?8|"utf-?8") *)?)?$/i;

const unsupported = (expected: string): HttpFailure => ({ _tag: 'UnsupportedMediaType', expected });

const emptyBody: HttpFailure = { _tag: 'MalformedJson', reason: 'empty body' };

/** Checks the headers of a body, so that a body that will be refused need not be sent. */
const checkHead = ({ hasBody, header }: PetRequest): E.Either<HttpFailure, void> => {
  if (!hasBody) return E.left(emptyBody);
  if ((header('content-encoding') ?? 'identity').toLowerCase() !== 'identity') {
    return E.left(unsupported('send the body without a Content-Encoding'));
  }
  return jsonInUtf8.test(header('content-type') ?? '')
    ? E.right(undefined)
    : E.left(unsupported('Content-Type must be application/json, in UTF-8'));
};

const readJson = (request: PetRequest): TE.TaskEither<HttpFailure, unknown> =>
  pipe(
    TE.fromEither(checkHead(request)),
    TE.flatMap(() => request.readBody),
    TE.flatMapEither((body) => (body.length === 0 ? E.left(emptyBody) : parseJson(body))),
  );

const namesOf = (value: unknown): ReadonlyArray<string> =>
  typeof value === 'object' && value !== null ? Object.keys(value) : [];

/** Handles `POST /v1/pets`. The Location is relative, so that it works behind any path prefix (RFC 9110, section 10.2.2). */
export const handleCreatePet: Handle = (request) =>
  pipe(
    // A key that may only read is refused before the body, which need not be sent.
    TE.fromEither(checkMayCreate(request.store.caller)),
    TE.flatMap(() => TE.fromEither(readIdempotencyKey(request))),
    TE.bindTo('key'),
    TE.bind('newPet', () => readJson(request)),
    TE.bindW('created', ({ key, newPet }) => request.store.createPet(newPet, key, request.deadline())),
    TE.map(({ newPet, created: { pet, replayed } }) =>
      jsonReply(201, serialisePet(pet), {
        Location: `pets/${pet.id}`,
        ...(replayed ? { 'Idempotent-Replayed': 'true' } : {}),
        ...unknownFieldsHeader(namesOf(newPet), newPetRules),
      }),
    ),
  );
