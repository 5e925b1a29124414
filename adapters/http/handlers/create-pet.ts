import * as E from 'fp-ts/Either';
import { fieldErrors, IdempotencyKey, NewPet } from '../../../core';
import { serialisePet } from '../../json';
import { type PetContext, type ServerFunctions, succeed } from '../context';
import { fail, type HttpFailure } from '../errors';
import { readJsonBody } from './read-json-body';

const quotedText = String.raw`"((?:[ !#-\[\]-~]|\\["\\]){1,255})"`;
// The alternatives begin with different characters. Otherwise each parameter would double the time to match.
const bareItem = String.raw`(?:"(?:[ !#-\[\]-~]|\\["\\])*"|:[\w+/=]*:|\?[01]|[\w*.!#$%&'^|~+-][\w*.:/!#$%&'^|~+-]*)`;
const itemParameters = String.raw`(?:; *[a-z*][a-z\d_.*-]*(?:=${bareItem})?)*`;
// A key without quotes may contain no comma: Node joins repeated headers with one, so two keys would look like one.
const bareText = String.raw`([!#-+\--\[\]-~]{1,255})`;
const keyText = `(?:${quotedText}${itemParameters}|${bareText})`;

/**
 * Syntax of an Idempotency-Key: a String of RFC 8941, section 3.3.3, with parameters, or the same characters without
 * quotes.
 */
export const idempotencyKeyPattern = `^${keyText}$`;

const keyInSpaces = new RegExp(`^ *${keyText} *$`);

export const parseIdempotencyKey = (header: string): E.Either<HttpFailure, IdempotencyKey> => {
  const [, quoted, bare] = keyInSpaces.exec(header) ?? [];
  const key = quoted?.replace(/\\(.)/g, '$1') ?? bare;
  return IdempotencyKey.is(key) ? E.right(key) : E.left({ _tag: 'InvalidIdempotencyKey' });
};

export const handleCreatePet = async (context: PetContext, server: ServerFunctions): Promise<void> => {
  const header = context.req.headers['idempotency-key'];
  const key = header === undefined ? E.right(undefined) : parseIdempotencyKey(header.toString());
  if (E.isLeft(key)) {
    fail(context, key.left);
    return;
  }
  const body = await readJsonBody(context.req, server.readBody);
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
  // A relative reference works behind any path prefix (RFC 9110, section 10.2.2).
  context.set('Location', `pets/${pet.id}`);
  if (replayed) context.set('Idempotent-Replayed', 'true');
  succeed(context, serialisePet(pet));
};
