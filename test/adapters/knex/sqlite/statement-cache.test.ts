import { expect } from 'chai';
import { openSqlite } from '../../../../adapters/knex';
import { newDatabaseFile, removeFolders } from '../../../support/temporary-folder';

describe('the statements that a SQLite connection keeps', () => {
  afterEach(removeFolders);

  it('hold nothing once one has waited for the lock in vain: the next write goes through', async () => {
    const file = await newDatabaseFile();
    const [holder, waiter] = [openSqlite(file), openSqlite(file)];
    try {
      await holder.writes.raw('create table notes (text)');
      await waiter.writes.raw('pragma busy_timeout = 50');
      const transaction = await holder.writes.transaction();
      await transaction('notes').insert({ text: 'of the holder' });
      const refused = await waiter.writes.raw("insert into notes values ('in vain')").then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(refused).to.include({ code: 'SQLITE_BUSY' });
      await transaction.commit();
      await waiter.writes('notes').insert({ text: 'of the waiter' });
      expect(await holder.reads('notes').pluck('text')).to.deep.equal(['of the holder', 'of the waiter']);
    } finally {
      await Promise.all([holder.close(), waiter.close()]);
    }
  });
});
