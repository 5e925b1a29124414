import { PetName } from '../../../core';
import { decoded } from '../outcome';
import { arbitraryElement } from './arbitrary-element';
import { arbitraryNumber } from './arbitrary-number';
import { arbitraryWord } from './arbitrary-word';

const piece = (): string =>
  arbitraryElement(
    arbitraryWord(3),
    ' ',
    "'",
    '"',
    'é',
    'e\u0301',
    'ß',
    'Ж',
    'ש',
    '犬',
    '🐕',
    '\n',
    '%',
    '\\',
  );

/** Words and signs of several scripts. */
export const arbitraryPetName = (): PetName =>
  decoded(PetName, Array.from({ length: arbitraryNumber(0, 12) }, piece).join(''));
