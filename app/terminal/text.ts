/** Control, format and separator characters, which can move the cursor or reverse the following text. */
const controlCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escape = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

export const escapeControlCharacters = (text: string): string => text.replaceAll(controlCharacters, escape);

export const toPrintableJson = (value: unknown): string => escapeControlCharacters(JSON.stringify(value));

/** Formats a count for the messages of the commands, such as `1 animal` or `2 animals`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
