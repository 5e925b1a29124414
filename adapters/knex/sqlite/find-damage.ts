import type { Knex } from 'knex';
import { isDamage, toError } from '../database/database-error';

/** How much of a file is read: all but what indexes hold, or everything (SQLite, PRAGMA quick_check). */
export type CheckKind = 'quick_check' | 'integrity_check';

/** What is damaged in a SQLite file, in words; undefined where nothing is. */
export const findDamage = async (reads: Knex, check: CheckKind): Promise<string | undefined> => {
  try {
    const found: ReadonlyArray<string> = await reads(`pragma_${check}`).pluck(check);
    return found.find((line) => line !== 'ok')?.replaceAll(/\s+/g, ' ');
  } catch (error) {
    if (isDamage(error)) return toError(error).message;
    throw error;
  }
};
