import type { Knex } from 'knex';
import { isDamage, toError } from '../database/database-error';

/**
 * What is damaged in a SQLite file, in words; undefined where nothing is. It reads all but what indexes hold, or everything
 * (SQLite, PRAGMA quick_check).
 */
export const findDamage = async (
  reads: Knex,
  check: 'quick_check' | 'integrity_check',
): Promise<string | undefined> => {
  try {
    const found: ReadonlyArray<string> = await reads(`pragma_${check}`).pluck(check);
    return found.find((line) => line !== 'ok')?.replaceAll(/\s+/g, ' ');
  } catch (error) {
    if (isDamage(error)) return toError(error).message;
    throw error;
  }
};
