import { InvalidArgumentError } from 'commander';

const milliseconds: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

export const parseDuration = (text: string): number => {
  const [, count = '', unit = ''] = /^([0-9]{1,5})([smhd])$/.exec(text) ?? [];
  const unitMs = milliseconds[unit];
  if (unitMs === undefined)
    throw new InvalidArgumentError('It must be a duration, as in 90d, 12h, 30m or 10s.');
  return Number(count) * unitMs;
};

export const parseLifetime = (text: string): number => {
  const lifetime = parseDuration(text);
  if (lifetime === 0) throw new InvalidArgumentError('It must be greater than 0.');
  return lifetime;
};

/** Returns `never` instead of null, which commander replaces by an empty string. */
export const parseSuccessorLifetime = (text: string): number | 'never' =>
  text === 'never' ? text : parseLifetime(text);
