import * as E from 'fp-ts/Either';
import { LosslessNumber, parse, parseLosslessNumber, splitNumber } from 'lossless-json';
import { type Pet, petFieldNames, type PetPage } from '../../core';

/** Failure to parse JSON. `reason` is sent to the client. */
export interface MalformedJson {
  readonly _tag: 'MalformedJson';
  readonly reason: string;
}

/** Parses strict JSON (RFC 8259). Rejects invalid UTF-8, duplicate keys and deep nesting. Numbers keep every digit. */
export const parseJsonBytes = (bytes: Uint8Array): E.Either<MalformedJson, unknown> => {
  const text = decodeUtf8(bytes);
  if (text === undefined) return malformed('not valid UTF-8');
  if (text.startsWith('\uFEFF')) return malformed('begins with a byte order mark; send it without');
  const outsideStrings = text.replace(strings, '');
  if (depthOf(outsideStrings) > maxDepth) return malformed(`nested more than ${maxDepth} levels deep`);
  try {
    const value = parse(text, null, { parseNumber });
    // Count the members of all objects, because lossless-json accepts a duplicate key if both values are equal.
    const membersWritten = outsideStrings.length - outsideStrings.replaceAll(':', '').length;
    return membersIn(value) === membersWritten ? E.right(value) : malformed('duplicate key in object');
  } catch (error) {
    return malformed(syntaxErrorReason(error, text.length));
  }
};

const malformed = (reason: string): E.Either<MalformedJson, never> =>
  E.left({ _tag: 'MalformedJson', reason });

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
};

// Matches JSON strings. An unclosed string matches up to the end of the text, because a new try at each of its escaped
// quotes would take quadratic time.
const strings = /"(?:[^"\\]|\\.)*(?:"|\\?$)/gs;

/** Maximum nesting of arrays and objects. The parser is recursive, so deep nesting would overflow the stack. */
const maxDepth = 100;

const depthOf = (outsideStrings: string): number => {
  let depth = 0;
  let deepest = 0;
  for (const character of outsideStrings) {
    if (character === '[' || character === '{') deepest = Math.max(deepest, (depth += 1));
    if (character === ']' || character === '}') depth -= 1;
  }
  return deepest;
};

const maxExponent = 18;

/**
 * Returns an integer of at most 19 digits (7, 7.0 or 7e0) as a bigint, and any other number as a LosslessNumber.
 * Without this limit, the digits of 1e999999999 would fill the memory.
 */
const parseNumber = (text: string): unknown => {
  const { sign, digits, exponent } = splitNumber(text);
  return digits.length <= exponent + 1 && exponent <= maxExponent
    ? BigInt(sign + digits.padEnd(exponent + 1, '0'))
    : parseLosslessNumber(text);
};

const membersIn = (value: unknown): number =>
  typeof value === 'object' && value !== null && !(value instanceof LosslessNumber)
    ? (Array.isArray(value) ? 0 : Object.keys(value).length) +
      Object.values(value).reduce<number>((sum, member) => sum + membersIn(member), 0)
    : 0;

/** Describes a syntax error by its position only, because the message of lossless-json contains text of the input. */
const syntaxErrorReason = (error: unknown, length: number): string => {
  const message = error instanceof Error ? error.message : '';
  const position = / at position ([0-9]+)$/.exec(message)?.[1];
  if (position === undefined) return 'invalid syntax';
  if (message.startsWith('Duplicate key')) return `duplicate key at position ${position}`;
  return `unexpected ${Number(position) < length ? 'character' : 'end'} at position ${position}`;
};

export const serializePet = (pet: Pet): string => {
  let text = '';
  for (const name of petFieldNames) {
    const value = pet[name];
    if (value === undefined) continue;
    text += `${text === '' ? '{' : ','}"${name}":${typeof value === 'bigint' ? value.toString() : JSON.stringify(value)}`;
  }
  return `${text}}`;
};

const encoder = new TextEncoder();

/** Returns the animals of a page as a JSON array that ends with a line break. */
export const serializePage = ({ pets }: PetPage): Uint8Array =>
  encoder.encode(`[${pets.map(serializePet).join(',')}]\n`);
