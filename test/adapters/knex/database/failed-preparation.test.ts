import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { readdirSync, readlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import { openPostgres, openSqlite } from '../../../../adapters/knex';
import { toEither } from '../../../../adapters/knex/database/errors';
import { eventually } from '../../../support/eventually';
import { execute, inPostgresDatabase } from '../../../support/postgres/postgres';
import { newDatabaseFile, removeFolders } from '../../../support/temporary-folder';

const descriptors = '/proc/self/fd';

/** Counts the descriptors by which this process has a file or its log open. */
const countOpen = (file: string): number =>
  readdirSync(descriptors).filter((name) => {
    const target = toEither(() => readlinkSync(`${descriptors}/${name}`));
    return E.isRight(target) && target.right.startsWith(file);
  }).length;

const failureOf = (pool: Knex): Promise<unknown> =>
  pool.raw('select 1').then(
    () => 'no failure',
    (error: unknown) => error,
  );

describe('A new connection whose preparation fails', () => {
  afterEach(removeFolders);

  it('is closed by SQLite, so that retries do not use up the file descriptors', async function () {
    if (process.platform !== 'linux') this.skip();
    const file = await newDatabaseFile();
    await writeFile(file, 'This text is no database. '.repeat(1_000));
    const { writePool, close } = openSqlite(file);
    try {
      for (let attempt = 0; attempt < 5; attempt += 1)
        expect(await failureOf(writePool)).to.have.property('code', 'SQLITE_NOTADB');
      expect(countOpen(file)).to.equal(0);
    } finally {
      await close();
    }
  });

  it('ends its session of PostgreSQL, and the next connection works once the cause is gone', () =>
    inPostgresDatabase(async (url) => {
      const name = new URL(url).pathname.slice(1);
      await execute(
        url,
        `create function pg_backend_pid() returns integer language plpgsql as
         $$ begin raise exception 'no id'; end $$`,
        `alter database ${name} set search_path = public, pg_catalog`,
      );
      // With this timeout, no connection is closed for its silence during the wait below.
      const { readPool, close } = openPostgres(url, { poolSize: 2, statementTimeoutMs: 60_000 });
      try {
        for (let attempt = 0; attempt < 5; attempt += 1)
          expect(await failureOf(readPool))
            .to.have.property('message')
            .that.includes('no id');
        await execute(url, 'drop function public.pg_backend_pid()');
        await eventually('only the new session is left', 20_000, async () => {
          const sessions: ReadonlyArray<unknown> = await readPool('pg_stat_activity')
            .where({ datname: name, application_name: 'animal-store' })
            .select('pid');
          return sessions.length === 1;
        });
      } finally {
        await close();
      }
    }));
});
