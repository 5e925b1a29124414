import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { constVoid } from 'fp-ts/function';
import { writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import knex from 'knex';
import { dirname, join } from 'node:path';
import { addsColour, asProgramWith } from '../../support/databases/migrations';
import { migrate } from '../../../adapters/knex';
import { withStore } from '../../../app/store/with-store';
import { decodeSettings } from '../../../app/settings/settings';
import { success } from '../../contracts/outcome';
import { databaseKinds } from '../../support/databases/databases';
import { execute, inPostgresDatabase } from '../../support/postgres/postgres';
import { runInProcess } from '../../support/processes/run-in-process';
import { makeFolder, newDatabaseFile, removeFolders } from '../../support/temporary-folder';

/** Returns commands that need an existing store, and so must fail without one. */
const commandsOnStore = async (): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const folder = await makeFolder();
  const rows = join(folder, 'rows.csv');
  writeFileSync(rows, 'name,categoryId\nRex,1\n');
  return [
    ['keys', 'create', '--name=x'],
    ['keys', 'list'],
    ['keys', 'rotate', 'x'],
    ['keys', 'revoke', 'x'],
    ['export', join(folder, 'animals.csv')],
    ['import', rows],
  ];
};

const expectRefusals = async (
  databaseUrl: string,
  commands: ReadonlyArray<ReadonlyArray<string>>,
): Promise<void> => {
  for (const command of commands) {
    const { code, stderr } = await runInProcess(command, { DATABASE_URL: databaseUrl });
    expect(stderr, command.join(' '))
      .to.include('there is no animal store in ')
      .and.include('set DATABASE_URL to the right database, or create one with `animal-store migrate`');
    expect(code).to.equal(1);
  }
};

const tablesIn = async (url: string): Promise<ReadonlyArray<string>> => {
  const pool = knex({ client: 'pg', connection: url });
  try {
    return await pool('pg_tables').where({ schemaname: 'public' }).pluck<Array<string>>('tablename');
  } finally {
    await pool.destroy();
  }
};

describe('A database without an animal store', () => {
  afterEach(removeFolders);

  it('is created by no command but serve and migrate', async () => {
    const file = await newDatabaseFile();
    const commands = [...(await commandsOnStore()), ['backup', join(await makeFolder(), 'backup')]];
    await expectRefusals(`sqlite:${file}`, commands);
    expect(await readdir(dirname(file))).to.deep.equal([]);
    writeFileSync(file, '');
    await expectRefusals(`sqlite:${file}`, commands);
  });

  it('is left alone by every command but serve and migrate, on PostgreSQL', () =>
    inPostgresDatabase(async (url) => {
      const commands = await commandsOnStore();
      await expectRefusals(url, commands);
      expect(await tablesIn(url)).to.deep.equal([]);
      await execute(url, 'create table visitors (id integer)');
      await expectRefusals(url, commands);
      const production = { DATABASE_URL: url, NODE_ENV: 'production', API_KEYS: 'a-key-of-22-characters-' };
      const served = await runInProcess(['serve'], { ...production, PORT: '0' });
      expect(served.code).to.equal(1);
      expect(served.stderr).to.include('there is no animal store in ');
      expect(await tablesIn(url)).to.deep.equal(['visitors']);
      expect(await runInProcess(['migrate'], { DATABASE_URL: url })).to.include({ code: 0 });
      expect(await runInProcess(['keys', 'list'], { DATABASE_URL: url })).to.include({ code: 0 });
    }));
});

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`A ${kind} database with an older schema`, () => {
    it('is migrated by every command', async () => {
      const { databaseUrl, open, remove } = await makeDatabase();
      try {
        const database = open();
        await success(migrate(database));
        await database.close();
        const settings = decodeSettings({ DATABASE_URL: databaseUrl });
        if (E.isLeft(settings)) throw new Error(JSON.stringify(settings.left));
        const ran = await asProgramWith(addsColour, () =>
          withStore(settings.right, 'write', { env: {}, printMessage: constVoid }, ({ ranMigrations }) =>
            Promise.resolve(ranMigrations),
          ),
        );
        expect(ran).to.deep.equal(['900_add_colour']);
      } finally {
        await remove();
      }
    });
  });
}
