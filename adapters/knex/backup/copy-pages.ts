import type { Knex } from 'knex';
import { promisify } from 'node:util';
import { type Backup, withConnection } from './with-connection';

/** How far a copy is, in bytes. */
export interface CopyProgress {
  readonly copied: number;
  readonly total: number;
}

/** How a long copy is watched, and ended: it then rejects. */
export interface CopyOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CopyProgress) => void;
}

/** 4 MB of the usual pages: a signal is heard after each. */
const pagesAtOnce = 1_000;

/**
 * Copies a database page by page to a file that holds nothing yet, as it is at one moment: the read transaction around
 * the copy keeps out what others commit meanwhile, and they need not wait.
 */
export const copyPages = (source: Knex, target: string, { signal, onProgress }: CopyOptions): Promise<void> =>
  withConnection(source, async (transaction, connection) => {
    // It sees the moment of its first read.
    await transaction('sqlite_master').first('name');
    const { page_size: pageSize } = await transaction('pragma_page_size').first<{ page_size: number }>();
    const backup = await new Promise<Backup>((resolve, reject) => {
      const begun = connection.backup(target, (error) => {
        if (error === null) resolve(begun);
        else reject(error);
      });
    });
    const step = promisify(backup.step.bind(backup));
    try {
      let isComplete = false;
      while (!isComplete) {
        signal.throwIfAborted();
        isComplete = await step(pagesAtOnce);
        const { pageCount, remaining } = backup;
        onProgress({ copied: (pageCount - remaining) * pageSize, total: pageCount * pageSize });
      }
    } finally {
      await promisify(backup.finish.bind(backup))();
    }
  });
