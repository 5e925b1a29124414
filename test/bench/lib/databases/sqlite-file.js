import Database from 'better-sqlite3';
import { animal } from '../animals.js';
import { createKey, migrate } from './service-commands.js';

/** Makes a SQLite file with the service's own schema, the animals 1 to `count` and a key; answers with the key. */
export const createSqliteFile = async (filename, count) => {
  const url = `sqlite:${filename}`;
  await migrate(url);
  const key = await createKey(url);
  const database = new Database(filename);
  // Nothing is lost if this fails: the file is made again.
  database.pragma('synchronous = OFF');
  const insert = database.prepare('insert into pets (name, category_id, status) values (?, ?, ?)');
  database.transaction(() => {
    for (let index = 1; index <= count; index += 1) {
      const { name, categoryId, status } = animal(index);
      insert.run(name, BigInt(categoryId), status);
    }
  })();
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
  return key;
};
