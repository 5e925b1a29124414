/**
 * Parses JSON text as `JSON.parse` does, but each integer as a bigint, so that an int64 keeps every digit. Throws a
 * SyntaxError if the text is not JSON.
 */
export const parseJson = (text: string): unknown =>
  // Turns each integer into a string first, because on Node 20 a reviver does not get the digits of a number.
  JSON.parse(text.replace(jsonTokens, markToken), (_name, value: unknown) =>
    typeof value === 'string' ? unmark(value) : value,
  );

// Matches JSON strings and numbers. Strings come first, so that digits inside a string are not taken for a number. An
// unclosed string matches up to the end of the text, so that matching takes linear time.
const jsonTokens = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Turns an integer into a string: U+0000 and its digits. A string that begins with U+0000 gets another U+0000, so that
 * it is not taken for an integer. Names of properties stay as they are, because a reviver of JSON.parse could not
 * change them back.
 */
const markToken = (token: string, index: number, text: string): string => {
  const isInteger = /^-?\d+$/.test(token);
  if (!isInteger && !token.startsWith('"\\u0000')) return token;
  const isName = /^\s*:/.test(text.slice(index + token.length));
  if (isName) return token;
  return isInteger ? `"\\u0000${token}"` : `"\\u0000${token.slice(1)}`;
};

/** Reverses `markToken` for a string that JSON.parse returned. */
const unmark = (value: string): unknown => {
  if (!value.startsWith('\0')) return value;
  const unmarked = value.slice(1);
  return unmarked.startsWith('\0') ? unmarked : BigInt(unmarked);
};

/**
 * Writes a value as JSON text, as `JSON.stringify` does, but a bigint as an integer with every digit. Accepts animals,
 * lists of animals, and objects that contain them.
 */
export const toJson = (value: unknown): string => {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return isWritten(value) ? JSON.stringify(value) : 'null';
  if (hasToJson(value)) return toJson(value.toJSON());
  if (Array.isArray(value)) return `[${value.map(toJson).join()}]`;
  const fields = Object.entries(value).filter(([, field]) => isWritten(field));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${toJson(field)}`).join()}}`;
};

const hasToJson = (value: object): value is { readonly toJSON: () => unknown } =>
  'toJSON' in value && typeof value.toJSON === 'function';

const isWritten = (value: unknown): boolean => !['undefined', 'function', 'symbol'].includes(typeof value);
