/* Codecs of environment variables. */

import { identity } from 'fp-ts/function';
import * as t from 'io-ts';
import { isIPv6 } from 'node:net';

interface SettingOptions<A> {
  /** Meaning for `serve --help`. docs/configuration.md says more. */
  readonly help: string;
  readonly type: Pick<t.Type<A>, 'name' | 'is'>;
  /** Text that describes a valid value. */
  readonly expected: string;
  readonly defaultValue: A;
  /** Writes the value for logs, so it must hide secrets. */
  readonly toText: (value: A) => string;
  /** Converts the text of the variable to the value, or returns an Error that is more precise than `expected`. */
  readonly parse?: (text: string) => unknown;
}

/**
 * Makes the codec of an environment variable. An empty or unset variable has the default value. An error contains null
 * in place of the value, which may be a secret.
 */
export const setting = <A>({
  help,
  type: { name, is },
  expected,
  defaultValue,
  toText,
  parse = identity,
}: SettingOptions<A>): t.Type<A, string> & { readonly help: string } => {
  const codec = new t.Type<A, string, unknown>(
    name,
    is,
    (text, context) => {
      if (typeof text !== 'string' || text === '') return t.success(defaultValue);
      const value = parse(text);
      if (is(value)) return t.success(value);
      // Gives a hint about quotes, because `docker run --env-file` keeps the quotes that a shell removes.
      const hint = /^(["']).*\1$/s.test(text) ? ', without quotes around it' : '';
      return t.failure(null, context, `${value instanceof Error ? value.message : expected}${hint}`);
    },
    toText,
  );
  return Object.assign(codec, { help });
};

export const wholeNumber = <D extends number | undefined>(
  help: string,
  from: number,
  to: number,
  defaultValue: D,
  unit = '',
) =>
  setting<number | D>({
    help,
    type: t.refinement(t.number, (value) => value >= from && value <= to),
    expected: `a whole number${unit} from ${from} to ${to}`,
    defaultValue,
    toText: (value) => String(value ?? 'none'),
    parse: (text) => (/^[0-9]{1,9}$/.test(text) ? Number(text) : undefined),
  });

export const oneOf = <const A extends string>(help: string, names: ReadonlyArray<A>, defaultValue: A) =>
  setting<A>({
    help,
    type: t.refinement(t.string, (text): text is A => names.some((name) => name === text)),
    expected: `one of ${names.join(', ')}`,
    defaultValue,
    toText: identity,
  });

/** Codec of an address to listen on. Accepts an IPv6 address also in brackets, as in URLs and the output of `ss`. */
export const listenAddress = (help: string) =>
  setting({
    help,
    type: t.string,
    expected: 'an address to listen on',
    defaultValue: '127.0.0.1',
    toText: identity,
    parse: (text) => {
      const [, inner = ''] = /^\[(.*)\]$/.exec(text) ?? [];
      return isIPv6(inner) ? inner : text;
    },
  });

export const parseRateLimit = (text: string): unknown => {
  const match = /^([1-9][0-9]{0,8})\/([1-9][0-9]{0,4})s$/.exec(text);
  return match && { requests: Number(match[1]), seconds: Number(match[2]) };
};

export const parseCorsOrigins = (text: string): ReadonlyArray<unknown> =>
  text === '*' ? ['*'] : splitList(text).map(toOrigin);

// Avoids `URL.canParse`, which on Node 20 may reject a host with letters such as `ü` once V8 has optimized it.
const toOrigin = (text: string): unknown => {
  if (!originShape.test(text)) return undefined;
  try {
    const { origin, protocol, host } = new URL(text);
    return origin === 'null' ? `${protocol}//${host.toLowerCase()}` : origin;
  } catch {
    return undefined;
  }
};

const originShape = /^[a-z][a-z0-9+.-]*:\/\/[^/\\?#@*\s]+$/i;

/** Splits a list at commas and line breaks, and returns each entry once. A line may end with a comma or be blank. */
export const splitList = (text: string): ReadonlyArray<string> => {
  const lines = text.replaceAll(/\s+/g, (blanks) => (blanks.includes('\n') ? '\n' : blanks));
  const entries = lines.replace(/(?<=.),$/, '').split(/,\n?|\n/);
  return [...new Set(entries.map((entry) => entry.trim()))];
};
