// Matches JSON strings and numbers. Strings come first, so that digits inside a string are not taken for a number. An
// unclosed string matches up to the end of the text, so that matching takes linear time.
const jsonTokens = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

const mark = '\0';
const escapedMark = '"\\u0000';

const markInteger = (token: string, index: number, text: string): string => {
  if (/^-?\d+$/.test(token)) return `${escapedMark}${token}"`;
  const isMarkedValue = token.startsWith(escapedMark) && !/^\s*:/.test(text.slice(index + token.length));
  return isMarkedValue ? `${escapedMark}\\u0000${token.slice(escapedMark.length)}` : token;
};

const readMarked = (value: string): unknown => {
  if (!value.startsWith(mark)) return value;
  return value.startsWith(mark + mark) ? value.slice(1) : BigInt(value.slice(1));
};

/**
 * Parses JSON text as `JSON.parse` does, but each integer as a bigint, so that an int64 keeps every digit. Throws a
 * SyntaxError if the text is not JSON.
 */
export const parseJson = (text: string): unknown =>
  // On Node 20, a reviver does not get the digits of a number. So each integer is first replaced by a marked string.
  JSON.parse(text.replace(jsonTokens, markInteger), (_name, value: unknown) =>
    typeof value === 'string' ? readMarked(value) : value,
  );

const hasToJson = (value: object): value is { readonly toJSON: () => unknown } =>
  'toJSON' in value && typeof value.toJSON === 'function';

const isWritten = (value: unknown): boolean => !['undefined', 'function', 'symbol'].includes(typeof value);

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
