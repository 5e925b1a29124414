/** True if `written` is `name` in any case. `name` is in lower case. Compares the lengths first, which is faster. */
export const isHeaderName = (written: string, name: string): boolean =>
  written.length === name.length && written.toLowerCase() === name;

/**
 * Returns the values of a header. `rawHeaders` alternates names and values. Node's `headers` has only the first value
 * of a repeated Host, Authorization or Content-Type. `name` is in lower case.
 */
export const headerValues = (rawHeaders: ReadonlyArray<string>, name: string): ReadonlyArray<string> => {
  const values: Array<string> = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (isHeaderName(rawHeaders[index] ?? '', name)) values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
};
