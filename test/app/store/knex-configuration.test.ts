import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import knex, { type Knex } from 'knex';
import { existsSync } from 'node:fs';
import { withPool } from '../../../adapters/knex/database/pool';
import { readSettings } from '../../../app/settings/settings';
import { knexConfiguration } from '../../../app/store/database';
import { inPostgresDatabase } from '../../support/postgres/postgres';
import { newDatabaseFile, removeFolders } from '../../support/temporary-folder';

const openFor = (DATABASE_URL: string): Knex => {
  const settings = readSettings({ DATABASE_URL });
  if (E.isLeft(settings)) throw new Error('the settings are invalid');
  return knex(knexConfiguration(settings.right));
};

describe("The configuration of Knex's own commands", () => {
  afterEach(removeFolders);

  it('limits no statement of a migration on PostgreSQL', () =>
    inPostgresDatabase((url) =>
      withPool(openFor(url), async (pool) => {
        const { limit } = await pool.first<{ readonly limit: string }>(
          pool.raw("current_setting('statement_timeout') as limit"),
        );
        expect(limit).to.equal('0');
      }),
    ));

  it('creates no SQLite file, because the path may be wrong', async () => {
    const file = await newDatabaseFile();
    const error: unknown = await withPool(openFor(`sqlite:${file}`), (pool) => pool.raw('select 1')).catch(
      String,
    );
    expect(error).to.include('SQLITE_CANTOPEN');
    expect(existsSync(file)).to.equal(false);
  });
});
