import { readFileSync } from 'node:fs';
import type { FieldError } from '../../core';

/** Settings whose value may stand in a file, which `NAME_FILE` names. */
const secretSettings = ['API_KEYS', 'DATABASE_URL'] as const;

const fileSettingOf = (name: string): string => `${name}_FILE`;

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

/** What editors and `echo` put at its ends, a line break or a byte order mark, is not of the secret. */
const readSecret = (file: string): string => readFileSync(file, 'utf8').trim();

const resolveSecret = (
  name: string,
  environment: NodeJS.ReadOnlyDict<string>,
): string | FieldError | undefined => {
  const field = fileSettingOf(name);
  const file = environment[field] ?? '';
  if (file === '') return environment[name];
  if ((environment[name] ?? '') !== '') return { field, expected: `left out where ${name} is set` };
  try {
    const text = readSecret(file);
    return text === '' ? { field, expected: 'a file that is not empty' } : text;
  } catch (error) {
    return { field, expected: `a file that this user can read (${codeOf(error)})` };
  }
};

/** Puts the texts of the files that an environment names in the place of its secret settings, and says what is wrong. */
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

/** Where the value of a setting stands, as a field error names it. */
export const placeOf = (name: string, environment: NodeJS.ReadOnlyDict<string>): string =>
  secretSettings.some((secret) => secret === name) && (environment[fileSettingOf(name)] ?? '') !== ''
    ? `the text in ${fileSettingOf(name)}`
    : name;

/** The names of the settings that name files. */
export const fileSettings: ReadonlyArray<string> = secretSettings.map(fileSettingOf);
