import type { Headers } from './reply';

const maxNames = 10;

// Matches printable ASCII without quotes and backslashes, which a String would escape.
const plainName = /^[ !#-[\]-~]{1,64}$/;

/**
 * Returns the header with the names of ignored parameters or fields, a List of Strings (RFC 9651, section 3.1). Leaves
 * out long names, names with special characters, and all after the first ten.
 */
export const unknownFieldsHeader = (
  names: Iterable<string>,
  known: Readonly<Record<string, unknown>>,
): Headers => {
  const unknown = [...new Set(names)].filter((name) => !Object.hasOwn(known, name) && plainName.test(name));
  if (unknown.length === 0) return {};
  return {
    'Unknown-Fields': unknown
      .slice(0, maxNames)
      .map((name) => `"${name}"`)
      .join(', '),
  };
};
