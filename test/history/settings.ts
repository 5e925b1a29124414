import { projectFolder } from '../support/command';

const numberOf = (name: string, otherwise: number): number => {
  const text = process.env[name] ?? '';
  if (text === '') return otherwise;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`${name} must be a whole number above 0`);
  return value;
};

const textOf = (name: string): string | undefined => {
  const text = process.env[name] ?? '';
  return text === '' ? undefined : text;
};

/** From the environment. */
export const settings = {
  /** HISTORY_SECONDS: for how long faults happen, a set-up. */
  seconds: numberOf('HISTORY_SECONDS', 60),
  /** HISTORY_SEED: what clients and faults are drawn from. */
  seed: numberOf('HISTORY_SEED', 1 + Math.floor(Math.random() * 1_000_000)),
  /** HISTORY_SET_UPS: names separated by commas. */
  setUps: (textOf('HISTORY_SET_UPS') ?? 'sqlite,standby').split(','),
  /** HISTORY_OTHER_BUILD: a checkout that is built, for instances to be restarted with now and then. */
  builds: [projectFolder, textOf('HISTORY_OTHER_BUILD') ?? projectFolder] as const,
  /** HISTORY_FOLDER: where the history of a run that failed is written to. */
  folder: textOf('HISTORY_FOLDER'),
  /** CITUS_SCRIPT: starts, stops and distributes a Citus cluster. */
  citusScript: textOf('CITUS_SCRIPT'),
};
