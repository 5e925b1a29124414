import { styleText } from 'node:util';

type Format = 'bold' | 'dim' | 'cyan' | 'green' | 'yellow' | 'red';

export type Style = (format: Format, text: string) => string;

/** Returns a function that styles texts at a terminal, unless NO_COLOR is set (https://no-color.org). */
export const styleFor = (
  { isTTY = false }: { readonly isTTY?: boolean },
  { NO_COLOR: noColor = '' }: NodeJS.ReadOnlyDict<string>,
): Style =>
  isTTY && noColor === ''
    ? (format, text) => styleText(format, text, { validateStream: false })
    : (_format, text) => text;
