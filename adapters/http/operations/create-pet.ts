import * as E from 'fp-ts/Either';
import { checkMayCreate, IdempotencyKey, newPetRules } from '../../../core';
import { parseJsonBytes, serializePet } from '../../json';
import type { HttpFailure } from '../message/failures';
import type { Headers } from './headers';
import { requestLimits } from '../message/limits';
import type { PetOperation, PetRequest } from './pet-request';
import { jsonReply, unknownFieldsHeader } from './reply';

/** Operation `POST /v1/pets`. Location is relative (RFC 9110, section 10.2.2), because a proxy may add a path prefix. */
export const createPet: PetOperation = {
  method: 'POST',
  path: '/v1/pets',
  successStatus: 201,
  handle: async (store, request) => {
    // Reject a read-only API key first, so that a client that waits for a 100 (Continue) need not send the body.
    const allowed = checkMayCreate(store.caller);
    if (E.isLeft(allowed)) return allowed;
    const key = readIdempotencyKey(request.header('idempotency-key'));
    if (E.isLeft(key)) return key;
    const beganToRead = performance.now();
    const newPet = await readJson(request);
    if (E.isLeft(newPet)) return newPet;
    if (performance.now() - beganToRead > requestLimits.recheckKeyAfterMs) {
      const checked = await store.checkKey(request.record.deadline.time)();
      if (E.isLeft(checked)) return checked;
    }
    const created = await store.createPet(newPet.right, key.right, request.record.deadline.time)();
    if (E.isLeft(created)) return created;
    const { pet, replayed, unknownFields } = created.right;
    request.record.petId = pet.id;
    const headers: Headers = {
      Location: `pets/${pet.id}`,
      ...(replayed ? { 'Idempotent-Replayed': 'true' } : {}),
      ...unknownFieldsHeader(unknownFields, newPetRules),
    };
    return E.right(jsonReply(createPet.successStatus, serializePet(pet), headers));
  },
};

// Matches a key in double quotes (a String of RFC 9651, section 3.3.3, without parameters) or a key without quotes.
// Excludes commas from a bare key, because Node joins repeated headers with commas, and two keys would be read as one.
const quotedOrBare = /^ *(?:"((?:[^"\\]|\\["\\])*)"|([^ ",\\]+)) *$/;

const readIdempotencyKey = (text: string | undefined): E.Either<HttpFailure, string | undefined> => {
  if (text === undefined) return E.right(undefined);
  const [, quoted, bare] = quotedOrBare.exec(text) ?? [];
  const key = quoted?.replace(/\\(.)/g, '$1') ?? bare;
  return IdempotencyKey.is(key) ? E.right(key) : E.left({ _tag: 'InvalidIdempotencyKey' });
};

const readJson = async (request: PetRequest): Promise<E.Either<HttpFailure, unknown>> => {
  const head = await checkHead(request);
  if (E.isLeft(head)) return head;
  const body = await request.record.deadline.pauseUntil(request.readBody());
  if (E.isLeft(body)) return body;
  return body.right.length === 0 ? E.left(emptyBody) : parseJsonBytes(body.right);
};

const jsonInUtf8 = /^application\/json *(?:; *(?:charset=(?:utf-?8|"utf-?8") *)?)?$/i;

const unsupported = (expected: string): HttpFailure => ({ _tag: 'UnsupportedMediaType', expected });

const emptyBody: HttpFailure = { _tag: 'MalformedJson', reason: 'empty body' };

/** Checks the headers before the body is read. A client that waits for a 100 (Continue) then need not send the body. */
const checkHead = async ({ hasBody, header }: PetRequest): Promise<E.Either<HttpFailure, void>> => {
  if (!(await hasBody())) return E.left(emptyBody);
  if ((header('content-encoding') ?? 'identity').toLowerCase() !== 'identity') {
    return E.left(unsupported('send the body without a Content-Encoding'));
  }
  return jsonInUtf8.test(header('content-type') ?? '')
    ? E.right(undefined)
    : E.left(unsupported('Content-Type must be application/json, in UTF-8'));
};
