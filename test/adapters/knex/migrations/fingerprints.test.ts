import { expect } from 'chai';
import { hash } from 'node:crypto';
import { migrations } from '../../../../adapters/knex/migrations/migrations';
import { databaseKinds, withEmptyDatabase } from '../../../support/databases/databases';

/**
 * First digits of the SHA-256 of the SQL that each migration runs. A migration that has landed never changes, because
 * stores exist that ran it: add a new migration and its line, and change no other line.
 */
const fingerprints = {
  SQLite: {
    '001_create_tables': '26bf7bc040a8c881',
    '002_add_last_use_of_keys': '3c9fb1d24e65d9b7',
    '003_sort_keys_by_bytes': 'e3b0c44298fc1c14',
    '004_record_changes': 'ee1ff7a6472e81a7',
  },
  PostgreSQL: {
    '001_create_tables': '93f5a581e456a0b1',
    '002_add_last_use_of_keys': '9d45d019a3c1f066',
    '003_sort_keys_by_bytes': 'f93313fa55d9c7d7',
    '004_record_changes': '519ba7af1590d586',
  },
} as const;

for (const [kind, makeDatabase] of databaseKinds) {
  it(`the migrations run the SQL on ${kind} with which they have landed`, () =>
    withEmptyDatabase(makeDatabase, async ({ writePool }) => {
      const found: Record<string, string> = {};
      let statements: Array<string> = [];
      writePool.on('query', ({ sql }: { readonly sql: string }) => statements.push(sql));
      for (const [name, { up }] of Object.entries(migrations)) {
        statements = [];
        await up(writePool);
        found[name] = hash('sha256', statements.join(';\n')).slice(0, 16);
      }
      expect(found).to.deep.equal(fingerprints[kind]);
    }));
}
