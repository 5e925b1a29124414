/* Arguments and options that commands share. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import * as E from 'fp-ts/Either';
import {
  type FieldRule,
  fieldCheck,
  int64FromText,
  newPetRules,
  petFilterNames,
  type PetFilters,
} from '../../core';
import { type DatabaseUrl, parseDatabaseUrl } from '../settings/database-url';
import { formats } from '../transfer/formats';

export const nonEmpty = (text: string): string => {
  if (text === '') throw new InvalidArgumentError('must not be empty');
  return text;
};

/**
 * Parses the name of a file. Rejects `-`, because the command would create a file of this name instead of using
 * standard output or input.
 */
export const fileName = (text: string): string => {
  if (text === '-')
    throw new InvalidArgumentError('must be a file, because standard input and output do not work');
  return nonEmpty(text);
};

/** Parses the address of a database, in the form of DATABASE_URL. */
export const parseAddress = (text: string): DatabaseUrl => {
  const address = parseDatabaseUrl(text.trim());
  if (E.isLeft(address)) throw new InvalidArgumentError(`must be ${address.left}`);
  return address.right;
};

export const parseId = (text: string): bigint => {
  const id = int64FromText(text);
  if (id === undefined) throw new InvalidArgumentError('must be the id of an animal');
  return id;
};

export const fieldOption = (name: string, rule: FieldRule, description: string): Option => {
  const { fromText, explain } = fieldCheck(rule);
  const { expected } = explain(undefined);
  const flag = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const help = rule.kind === 'enumeration' ? `${description}, ${expected}` : description;
  return new Option(`--${flag} <${flag}>`, help).argParser((text) => {
    const value = fromText(text);
    if (value === undefined) throw new InvalidArgumentError(`must be ${expected}`);
    return value;
  });
};

export const filterOptions = (description: string): ReadonlyArray<Option> =>
  petFilterNames.map((name) => fieldOption(name, newPetRules[name], description));

export const filtersOf = (options: PetFilters): PetFilters =>
  Object.fromEntries(petFilterNames.map((name) => [name, options[name]]));

export const formatOption = (): Option =>
  new Option('--format <format>', 'format of the file, if its name does not show it').choices(formats);

/** Ends the program with a usage error of the command. */
export const failUsage = (command: Command, text: string): never => command.error(text);

/** Ends the program with a usage error if an option of `names` is given, because it would have no effect. */
export const refuseOptions = (command: Command, names: ReadonlyArray<string>, purpose: string): void => {
  const refused = command.options.find(
    (option) =>
      names.includes(option.attributeName()) && command.getOptionValue(option.attributeName()) !== undefined,
  );
  if (refused !== undefined) failUsage(command, `${refused.long} is only for ${purpose}`);
};

/** Returns the error for a file, or `-`, whose format is unknown. */
export const missingFormat = (file: string): string =>
  `the ${file === '-' ? 'format is not given' : 'file name does not show the format'}; add --format ndjson or --format csv`;

const milliseconds: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

export const parseDuration = (text: string): number => {
  const [, count = '', unit = ''] = /^([0-9]{1,5})([smhd])$/.exec(text) ?? [];
  const unitMs = milliseconds[unit];
  if (unitMs === undefined) throw new InvalidArgumentError('must be a duration, as in 90d, 12h, 30m or 10s');
  return Number(count) * unitMs;
};

export const parseLifetime = (text: string): number => {
  const lifetime = parseDuration(text);
  if (lifetime === 0) throw new InvalidArgumentError('must be greater than 0');
  return lifetime;
};
