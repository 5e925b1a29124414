import { isInteger, parse } from 'lossless-json';
import { invalidBody } from './errors.js';

const statuses = new Set([undefined, 'available', 'pending', 'sold']);
const unstorable = /[\0\p{Surrogate}]/u;

const exactNumber = (text) => (isInteger(text) ? BigInt(text) : Number(text));

/** JSON with an exact `categoryId`: the native parser, and the slow exact one where a double has lost digits. */
export const parseBody = (text) => {
  try {
    const body = JSON.parse(text);
    return typeof body?.categoryId === 'number' && !Number.isSafeInteger(body.categoryId)
      ? parse(text, undefined, exactNumber)
      : body;
  } catch {
    throw invalidBody;
  }
};

/** Whether it is an integer, a bigint where a double can't hold it, in the range of an int64. */
export const isInt64 = (value) =>
  Number.isSafeInteger(value) || (typeof value === 'bigint' && BigInt.asIntN(64, value) === value);

/** Checks by hand what a schema would say of a NewPet. */
export const checkNewPet = (body) => {
  const valid =
    typeof body?.name === 'string' &&
    !unstorable.test(body.name) &&
    isInt64(body.categoryId) &&
    statuses.has(body.status);
  if (!valid) throw invalidBody;
  return body;
};
