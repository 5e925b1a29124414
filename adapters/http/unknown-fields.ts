import type { Headers } from './reply';

const maxNames = 10;

// Printable ASCII without the two characters that a quoted text escapes.
const plainName = /^[ !#-[\]-~]{1,64}$/;

/**
 * Names the parameters or fields of a request that were ignored, as a List of Strings (RFC 9651, section 3.1). Names that
 * are long or not plain are left out, and so is what follows the first ten names.
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
