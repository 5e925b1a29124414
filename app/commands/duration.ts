import { InvalidArgumentError } from 'commander';

const milliseconds: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A duration as in `90d`, `12h`, `30m` or `10s`, in milliseconds. */
export const parseDuration = (text: string): number => {
  const [, count = '', unit = ''] = /^([0-9]{1,5})([smhd])$/.exec(text) ?? [];
  const unitMs = milliseconds[unit];
  if (unitMs === undefined)
    throw new InvalidArgumentError('It must be a duration, as in 90d, 12h, 30m or 10s.');
  return Number(count) * unitMs;
};

/** The same of a key, which nobody could use if it were none. */
export const parseLifetime = (text: string): number => {
  const lifetime = parseDuration(text);
  if (lifetime === 0) throw new InvalidArgumentError('It must be more than nothing.');
  return lifetime;
};
