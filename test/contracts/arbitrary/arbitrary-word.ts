import { arbitraryNumber } from './arbitrary-number';

const characters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

const character = (): string => characters.charAt(arbitraryNumber(0, characters.length - 1));

/** Letters and digits. */
export const arbitraryWord = (length = 16): string => Array.from({ length }, character).join('');
