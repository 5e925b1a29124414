import * as E from 'fp-ts/Either';
import type { IncomingMessage } from 'node:http';
import { fieldErrors, IdempotencyKey, NewPet } from '../../../core';
import { parseJson, serialisePet } from '../../json';
import { type PetContext, type ServerFunctions, succeed } from '../context';
import { fail, type HttpFailure } from '../errors';
import { readBody } from '../read-body';

const quotedText = String.raw`"((?:[ !#-\[\]-~]|\\["\\]){1,255})"`;
// The alternatives of this expression begin with different characters. Otherwise the expression would backtrack, and
// each `;parameter` of the header would double the time.
const bareItem = String.raw`(?:"(?:[ !#-\[\]-~]|\\["\\])*"|:[\w+/=]*:|\?[01]|[\w*.!#$%&'^|~+-][\w*.:/!#$%&'^|~+-]*)`;
const itemParameters = String.raw`(?:; *[a-z*][a-z\d_.*-]*(?:=${bareItem})?)*`;
// An idempotency key without quotes must not contain a comma. Node joins repeated headers with a comma, so two keys
// would be read as a single key.
const bareText = String.raw`([!#-+\--\[\]-~]{1,255})`;
const keyText = `(?:${quotedText}${itemParameters}|${bareText})`;

/**
 * Syntax of an Idempotency-Key, for the OpenAPI document. It is a String of RFC 8941, section 3.3.3, with parameters.
 * Without double quotes, a key has no spaces, commas, quotes or backslashes.
 */
export const idempotencyKeyPattern = `^${keyText}$`;

const keyInSpaces = new RegExp(`^ *${keyText} *$`);

export const parseIdempotencyKey = (header: string): E.Either<HttpFailure, IdempotencyKey> => {
  const [, quoted, bare] = keyInSpaces.exec(header) ?? [];
  const key = quoted?.replace(/\\(.)/g, '$1') ?? bare;
  return IdempotencyKey.is(key) ? E.right(key) : E.left({ _tag: 'InvalidIdempotencyKey' });
};

const token = String.raw`[\w!#$%&'*+.^|~\x60-]+`;
const parameter = String.raw`(?!charset=)${token}=(?:${token}|"(?:[^"\\]|\\.)*")|charset=(?:utf-8|"utf-8")`;

const jsonInUtf8 = new RegExp(
  String.raw`^application/json[ \t]*(?:;[ \t]*(?:(?:${parameter})[ \t]*)?)*$`,
  'i',
);

const unsupported = (expected: string): HttpFailure => ({ _tag: 'UnsupportedMediaType', expected });

const isContentType = (text: string, index: number): boolean =>
  index % 2 === 0 && text.toLowerCase() === 'content-type';

const refuseByHead = ({
  headers,
  rawHeaders,
  httpVersionMajor,
}: IncomingMessage): HttpFailure | undefined => {
  const length = headers['content-length'];
  // Over HTTP/2, which an embedding program may serve, a body needs neither Content-Length nor Transfer-Encoding.
  const isFramed = httpVersionMajor > 1 || headers['transfer-encoding'] !== undefined;
  if (!isFramed && (length === undefined || Number(length) === 0)) {
    return { _tag: 'MalformedJson', reason: length === undefined ? 'missing body' : 'empty body' };
  }
  if (!['', 'identity'].includes(headers['content-encoding']?.trim().toLowerCase() ?? '')) {
    return unsupported('send the body without a Content-Encoding');
  }
  // Node uses the first Content-Type header, but a proxy may have checked another Content-Type header.
  if (rawHeaders.filter(isContentType).length > 1) {
    return { _tag: 'MalformedRequest', reason: 'a request must have at most one Content-Type header' };
  }
  return jsonInUtf8.test(headers['content-type'] ?? '')
    ? undefined
    : unsupported('Content-Type must be application/json, in UTF-8');
};

const readJsonBody = async (request: IncomingMessage): Promise<E.Either<HttpFailure, unknown>> => {
  const refusal = refuseByHead(request);
  if (refusal !== undefined) return E.left(refusal);
  const body = await readBody(request);
  if (E.isLeft(body)) return body;
  return body.right.length === 0
    ? E.left({ _tag: 'MalformedJson', reason: 'empty body' })
    : parseJson(body.right);
};

/** Handles `POST /v1/pets`, for the operation `createPet` in operations.ts. */
export const handleCreatePet = async (context: PetContext, server: ServerFunctions): Promise<void> => {
  const header = context.req.headers['idempotency-key'];
  const key = header === undefined ? E.right(undefined) : parseIdempotencyKey(header.toString());
  if (E.isLeft(key)) {
    fail(context, key.left);
    return;
  }
  const body = await readJsonBody(context.req);
  if (E.isLeft(body)) {
    fail(context, body.left);
    return;
  }
  const newPet = NewPet.decode(body.right);
  if (E.isLeft(newPet)) {
    fail(context, { _tag: 'InvalidBody', fieldErrors: fieldErrors(newPet.left) });
    return;
  }
  const deadline = server.deadlineOf(context.req);
  const created = await context.state.store.createPet(newPet.right, key.right, deadline)();
  if (E.isLeft(created)) {
    fail(context, created.left);
    return;
  }
  const { pet, replayed } = created.right;
  // A relative address works behind any path prefix (RFC 9110, section 10.2.2).
  context.set('Location', `pets/${pet.id}`);
  if (replayed) context.set('Idempotent-Replayed', 'true');
  succeed(context, serialisePet(pet));
};
