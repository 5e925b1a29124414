import * as E from 'fp-ts/Either';
import { invalidFieldTexts } from '../../core';
import { decodeSettings, type Settings } from '../settings/settings';

/**
 * Returns settings whose DATABASE_URL is the address of a second database. Errors name `source`, the option or variable
 * that has the address.
 */
export const readTarget = (text: string, source: string, env: NodeJS.ReadOnlyDict<string>): Settings => {
  if (text.trim() === '') throw new Error(`name the target: add its address, or set ${source}`);
  const decoded = decodeSettings({ ...env, DATABASE_URL: text });
  if (E.isRight(decoded)) return decoded.right;
  const fields = decoded.left.map((field) =>
    field.name === 'DATABASE_URL' ? { ...field, name: source } : field,
  );
  throw new Error(invalidFieldTexts(fields).join('; '));
};
