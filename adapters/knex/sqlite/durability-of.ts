import type { Knex } from 'knex';
import type { Durability } from '../database/database';

/** The least `synchronous` that waits for the disk at each commit, in numbers as the pragma gives it back. */
const fullSynchronous = 2;

/** Whether a commit over these connections reaches the disk. */
export const durabilityOf = async (writes: Knex): Promise<Durability> => {
  const journal = await writes('pragma_journal_mode').first<{ journal_mode: string }>();
  const disk = await writes('pragma_synchronous').first<{ synchronous: number }>();
  return {
    isDurable: !['memory', 'off'].includes(journal.journal_mode) && disk.synchronous >= fullSynchronous,
    text: `journal_mode=${journal.journal_mode}, synchronous=${disk.synchronous}`,
    remedy: 'put the file on a local disk',
  };
};
