import { arbitraryElement } from './arbitrary-element';

const [first = '', ...others] = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** Letters and digits. */
export const arbitraryWord = (length = 16): string =>
  Array.from({ length }, () => arbitraryElement(first, ...others)).join('');
