/**
 * Returns the values of a header, from names and values in turn. Node's `headers` has only the first value of a repeated
 * Host, Authorization or Content-Type. `name` is in lower case.
 */
export const headerValues = (rawHeaders: ReadonlyArray<string>, name: string): ReadonlyArray<string> => {
  const values: Array<string> = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const written = rawHeaders[index] ?? '';
    // Compare the lengths first, because this runs for every header of a request.
    if (written.length === name.length && written.toLowerCase() === name)
      values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
};
