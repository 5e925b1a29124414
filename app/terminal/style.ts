import { styleText } from 'node:util';

type Format = 'bold' | 'dim' | 'cyan' | 'green' | 'yellow' | 'red';

export type Style = (format: Format, text: string) => string;

type Environment = NodeJS.ReadOnlyDict<string>;

/**
 * True for a terminal that obeys escape sequences. False without TERM, and in CI, where the log of a build would keep
 * the sequences.
 */
export const obeysEscapes = (
  { isTTY = false }: { readonly isTTY?: boolean },
  { TERM: kind = '', CI: continuousIntegration = '' }: Environment,
): boolean => isTTY && !['', 'dumb'].includes(kind) && continuousIntegration === '';

/** Returns a function that styles texts at a terminal, unless NO_COLOR is set (https://no-color.org). */
export const styleFor = (output: { readonly isTTY?: boolean }, env: Environment): Style =>
  obeysEscapes(output, env) && (env['NO_COLOR'] ?? '') === ''
    ? (format, text) => styleText(format, text, { validateStream: false })
    : (_format, text) => text;
