import type { Random } from '../../support/random';

/** In milliseconds: one in four is longer than any deadline; most are short, since all clients come to wait for those. */
export const silence = (random: Random): number =>
  random.below(4) === 0 ? 6_500 : random.between(100, 1_500);
