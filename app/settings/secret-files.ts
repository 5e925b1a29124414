import { readFileSync } from 'node:fs';
import type { FieldError } from '../../core';
import { errorCode } from '../error-code';

const secretSettings = ['API_KEYS', 'DATABASE_URL'] as const;

const fileSettingOf = (name: string): string => `${name}_FILE`;

/** Removes the line break or byte order mark that editors and `echo` add. */
const readSecret = (file: string): string => readFileSync(file, 'utf8').trim();

const resolveSecret = (
  name: string,
  environment: NodeJS.ReadOnlyDict<string>,
): string | FieldError | undefined => {
  const field = fileSettingOf(name);
  const file = environment[field] ?? '';
  if (file === '') return environment[name];
  if ((environment[name] ?? '') !== '') return { field, expected: `unset if ${name} is set` };
  try {
    const text = readSecret(file);
    return text === '' ? { field, expected: 'a file that is not empty' } : text;
  } catch (error) {
    return { field, expected: `a file that this user can read (${errorCode(error) ?? String(error)})` };
  }
};

/** Sets each secret to the text of the file that the environment names. Reports each file that can't be used. */
export const readSecretFiles = (environment: NodeJS.ReadOnlyDict<string>) => {
  const resolved = secretSettings.map((name) => [name, resolveSecret(name, environment)] as const);
  return {
    environment: {
      ...environment,
      ...Object.fromEntries(
        resolved.map(([name, secret]) => [name, typeof secret === 'object' ? undefined : secret]),
      ),
    },
    fieldErrors: resolved.flatMap(([, secret]) => (typeof secret === 'object' ? [secret] : [])),
  };
};

/** Returns the name for an error message, as in `the text in API_KEYS_FILE`. */
export const nameOfSetting = (name: string, environment: NodeJS.ReadOnlyDict<string>): string =>
  secretSettings.some((secret) => secret === name) && (environment[fileSettingOf(name)] ?? '') !== ''
    ? `the text in ${fileSettingOf(name)}`
    : name;

export const fileSettings: ReadonlyArray<string> = secretSettings.map(fileSettingOf);
