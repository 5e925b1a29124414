import { parse } from 'lossless-json';

const parseNumber = (digits: string): number | bigint => {
  const value = Number(digits);
  return /^-?[0-9]+$/.test(digits) && !Number.isSafeInteger(value) ? BigInt(digits) : value;
};

/** Parses JSON to the digit: an integer past 2^53 becomes a bigint, every other number a number. */
export const parseExactJson = (text: string): unknown => parse(text, undefined, { parseNumber });
