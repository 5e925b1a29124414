import { isInteger, parse } from 'lossless-json';
import { invalidBody, invalidQuery } from './http.js';

const decimal = /^-?[0-9]{1,19}$/;

/** The int64 in decimal text, or undefined. */
export const parseInt64 = (text) => {
  if (!decimal.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
};

const limits = /^0*(?:[1-9][0-9]?|100)$/;
const statuses = new Set([undefined, 'available', 'pending', 'sold']);

/** Checks by hand the parameters of listPets, given as an object of texts. Ids start at 1: `after` is 0 by default. */
export const checkListQuery = ({ limit = '20', after = '0', status }) => {
  const id = parseInt64(after);
  if (!limits.test(limit) || id === undefined || !statuses.has(status)) throw invalidQuery;
  return { limit: Number(limit), after: id, status };
};

/** The Link to the page that follows the animal `last` (RFC 8288). */
export const linkToNext = ({ limit, status }, last) =>
  `</v1/pets?limit=${limit}${status === undefined ? '' : `&status=${status}`}&after=${last}>; rel="next"`;

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

/** JSON text of an animal; its integers are bigints or decimal text. */
export const petText = ({ id, name, categoryId, status }) =>
  `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${status == null ? '' : `,"status":"${status}"`}}`;

/** JSON text of a page; as fast as a compiled serialiser. */
export const pageText = (pets) => {
  let text = '[';
  for (const pet of pets) text += text.length === 1 ? petText(pet) : `,${petText(pet)}`;
  return `${text}]`;
};
