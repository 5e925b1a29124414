import { type Environment, projectFolder } from '../support/processes/command';
import { otherBuild } from '../faults/support/builds';

export interface Build {
  readonly checkout: string;
  readonly environment?: Environment;
}

const textOf = (name: string): string | undefined => {
  const text = process.env[name];
  return text === '' ? undefined : text;
};

const numberOf = (name: string, otherwise: number): number => {
  const value = Number(textOf(name) ?? otherwise);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`${name} must be a positive integer`);
  return value;
};

const thisBuild: Build = { checkout: projectFolder };
const otherCheckout = textOf('HISTORY_OTHER_BUILD');

export const settings = {
  /** HISTORY_SECONDS: duration of the faults, for each set-up. */
  seconds: numberOf('HISTORY_SECONDS', 60),
  seed: numberOf('HISTORY_SEED', 1 + Math.floor(Math.random() * 1_000_000)),
  /** HISTORY_SET_UPS: names separated by commas. */
  setUps: (textOf('HISTORY_SET_UPS') ?? 'sqlite,standby').split(','),
  /** HISTORY_OTHER_BUILD: a built checkout for restarts. Default is this build with a migration that adds a column. */
  builds: [
    thisBuild,
    otherCheckout === undefined
      ? { ...thisBuild, environment: otherBuild('adds') }
      : { checkout: otherCheckout },
  ] as const satisfies ReadonlyArray<Build>,
  /** HISTORY_FOLDER: folder for the history of a failed run. */
  folder: textOf('HISTORY_FOLDER'),
};
