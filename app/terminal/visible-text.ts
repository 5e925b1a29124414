/** Controls, formats and separators of lines: what moves a cursor, or turns the text behind it around. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escaped = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** A text that a terminal shows as it stands, whatever is in it. */
export const visibleText = (text: string): string => text.replaceAll(unseen, escaped);
