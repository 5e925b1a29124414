// Excludes the zero-width joiner of an emoji such as a family, because a terminal shows this emoji as one character.
const controlCharacters =
  /(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d|(?!\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escape = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** Escapes characters that could move the cursor or reverse the text that follows. */
export const escapeControlCharacters = (text: string): string => text.replaceAll(controlCharacters, escape);

export const toPrintableJson = (value: unknown): string => escapeControlCharacters(JSON.stringify(value));

/** Writes a number with commas between groups of three digits, as in 4,812. */
export const grouped = (number: number): string => number.toLocaleString('en');

export const counted = (count: number, noun: string): string =>
  `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;

/**
 * Wraps a line between words, with further lines indented by two blanks. Does not break a command in backticks, so that
 * it can be copied.
 */
export const wrapLine = (line: string, columns: number): string => {
  if (line.length <= columns) return line;
  let width = 0;
  const parts = (line.match(/\s*(?:`[^`]*`|\S)+/g) ?? []).map((part) => {
    if (width === 0 || width + part.length <= columns) {
      width += part.length;
      return part;
    }
    const beginning = `  ${part.trimStart()}`;
    width = beginning.length;
    return `\n${beginning}`;
  });
  return parts.join('');
};
