import * as E from 'fp-ts/Either';
import { LosslessNumber, parse, parseLosslessNumber, splitNumber } from 'lossless-json';

/** Why a text is no JSON, in words for its sender. */
export interface MalformedJson {
  readonly _tag: 'MalformedJson';
  readonly reason: string;
}

/** Nested arrays and objects; the parser recurses, so that an unbounded depth would exhaust the stack. */
const maxDepth = 100;

/** The power of ten of the largest int64. Larger exponents are never written out as digits. */
const maxExponent = 18;

const malformed = (reason: string): E.Either<MalformedJson, never> =>
  E.left({ _tag: 'MalformedJson', reason });

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const decodeUtf8 = (bytes: Uint8Array): E.Either<MalformedJson, string> =>
  E.tryCatch(
    () => utf8.decode(bytes),
    () => ({ _tag: 'MalformedJson', reason: 'it is not valid UTF-8' }),
  );

const depthOf = (outsideStrings: string): number => {
  let depth = 0;
  let deepest = 0;
  for (const character of outsideStrings) {
    if (character === '[' || character === '{') deepest = Math.max(deepest, (depth += 1));
    if (character === ']' || character === '}') depth -= 1;
  }
  return deepest;
};

/** A number of integer value (7, 7.0, 7e0) as a bigint, whatever its size up to 10^19; any other as it was written. */
const parseNumber = (text: string): unknown => {
  const { sign, digits, exponent } = splitNumber(text);
  return digits.length <= exponent + 1 && exponent <= maxExponent
    ? BigInt(sign + digits.padEnd(exponent + 1, '0'))
    : parseLosslessNumber(text);
};

// The last of them may lack its end: looking for one from each quote on would take quadratic time.
const strings = /"(?:[^"\\]|\\.)*(?:"|\\?$)/gs;

const membersIn = (value: unknown): number =>
  typeof value === 'object' && value !== null && !(value instanceof LosslessNumber)
    ? (Array.isArray(value) ? 0 : Object.keys(value).length) +
      Object.values(value).reduce<number>((sum, member) => sum + membersIn(member), 0)
    : 0;

/** Strict JSON (RFC 8259): valid UTF-8, no name twice in an object, and integers to the last digit, as bigints. */
export const parseJson = (bytes: Uint8Array): E.Either<MalformedJson, unknown> => {
  const decoded = decodeUtf8(bytes);
  if (E.isLeft(decoded)) return decoded;
  const text = decoded.right;
  const outsideStrings = text.replace(strings, '');
  if (depthOf(outsideStrings) > maxDepth) return malformed(`it is nested more than ${maxDepth} levels deep`);
  try {
    const value = parse(text, null, parseNumber);
    // lossless-json lets a name stand twice when both values are equal.
    const membersWritten = outsideStrings.length - outsideStrings.replaceAll(':', '').length;
    return membersIn(value) === membersWritten
      ? E.right(value)
      : malformed('a name stands twice in an object');
  } catch {
    return malformed('its syntax is wrong, or a name stands twice in an object');
  }
};
