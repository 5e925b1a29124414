import { otherBuild } from '../faults/support/databases/other-build';
import { type Environment, projectFolder } from '../support/processes/command';

/** A version of the service. */
export interface Build {
  /** A checkout that is built. */
  readonly checkout: string;
  readonly environment?: Environment;
}

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

const thisBuild: Build = { checkout: projectFolder };
const otherCheckout = textOf('HISTORY_OTHER_BUILD');

/** From the environment. */
export const settings = {
  /** HISTORY_SECONDS: for how long faults happen, a set-up. */
  seconds: numberOf('HISTORY_SECONDS', 60),
  /** HISTORY_SEED: what clients and faults are drawn from. */
  seed: numberOf('HISTORY_SEED', 1 + Math.floor(Math.random() * 1_000_000)),
  /** HISTORY_SET_UPS: names separated by commas. */
  setUps: (textOf('HISTORY_SET_UPS') ?? 'sqlite,standby').split(','),
  /** HISTORY_OTHER_BUILD: a built checkout to restart instances with; else this build with a migration that adds a column. */
  builds: [
    thisBuild,
    otherCheckout === undefined
      ? { ...thisBuild, environment: otherBuild('adds') }
      : { checkout: otherCheckout },
  ] as const satisfies ReadonlyArray<Build>,
  /** HISTORY_FOLDER: where the history of a run that failed is written to. */
  folder: textOf('HISTORY_FOLDER'),
  /** CITUS_SCRIPT: starts, stops and distributes a Citus cluster. */
  citusScript: textOf('CITUS_SCRIPT'),
};
