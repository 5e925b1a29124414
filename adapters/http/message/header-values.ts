/** True if `written` is `name`, which is in lower case. Compares lengths first, to be fast for each header. */
export const isHeaderName = (written: string, name: string): boolean =>
  written.length === name.length && written.toLowerCase() === name;

/**
 * Returns the values of a header, from names and values in turn. Node's `headers` has only the first value of a repeated
 * Host, Authorization or Content-Type. `name` is in lower case.
 */
export const headerValues = (rawHeaders: ReadonlyArray<string>, name: string): ReadonlyArray<string> => {
  const values: Array<string> = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (isHeaderName(rawHeaders[index] ?? '', name)) values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
};
