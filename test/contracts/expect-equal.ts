import { inspect, isDeepStrictEqual, types } from 'node:util';

const maxLength = 400;

/** Formats a value on one line for an error message. Long values are truncated. */
export const shown = (value: unknown): string => {
  const text = inspect(value, {
    breakLength: Infinity,
    depth: 5,
    maxArrayLength: 5,
    maxStringLength: 100,
    compact: true,
  });
  return text.length > maxLength ? `${text.slice(0, maxLength)}... (${text.length} characters)` : text;
};

export const withNote = (error: unknown, note: string): unknown => {
  // A test runner may give each test file its own class Error, for which `instanceof` is false.
  if (!types.isNativeError(error)) return error;
  const message = `${error.message}\n(${note})`;
  // Test runners print the stack, which begins with the message.
  error.stack = error.stack?.replace(error.message, () => message) ?? message;
  error.message = message;
  return error;
};

/** Throws an error with only a message, because test runners print the values of an assertion over many lines. */
export function fail(message: string, options?: ErrorOptions): never {
  const error = new Error(message, options);
  Error.captureStackTrace(error, fail);
  throw error;
}

const listDifference = (actual: ReadonlyArray<unknown>, expected: ReadonlyArray<unknown>): string => {
  const longer = actual.length > expected.length ? actual : expected;
  const at = longer.findIndex((_, index) => !isDeepStrictEqual(actual[index], expected[index]));
  const lengths =
    actual.length === expected.length
      ? `${expected.length}`
      : `${actual.length} in place of ${expected.length}`;
  const at1 = (list: ReadonlyArray<unknown>): string => (at < list.length ? shown(list[at]) : 'nothing');
  return `of ${lengths}, number ${at + 1} is the first that differs: got ${at1(actual)}, expected ${at1(expected)}`;
};

/** Fails unless both values are equal, including types and prototypes. The message shows the first difference. */
export const expectEqual = (what: string, actual: unknown, expected: unknown): void => {
  if (isDeepStrictEqual(actual, expected)) return;
  fail(
    Array.isArray(actual) && Array.isArray(expected)
      ? `${what}: ${listDifference(actual, expected)}`
      : `${what}: got ${shown(actual)}, expected ${shown(expected)}`,
  );
};
