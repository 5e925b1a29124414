import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { chmod, readdir, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { postgresDatabase, sqliteFile } from '../../support/databases/databases';
import { execute } from '../../support/postgres/postgres';
import { killPrograms, main, needsReadableBuild, runUnprivileged } from '../../support/processes/command';
import { runInProcess } from '../../support/processes/run-in-process';
import { makeFolder, removeFolders } from '../../support/temporary-folder';
import { bound, expectFailure, fileOf, makeTables, withBoth } from './copy-support';
import { newFile } from './support';

describe('The command copy', function () {
  this.timeout(4 * bound);
  afterEach(killPrograms);
  afterEach(removeFolders);

  it('refuses a target with animals, API keys or idempotency keys', () =>
    withBoth(sqliteFile, postgresDatabase, async (source, target) => {
      const { databaseUrl: url } = target;
      await makeTables(target);
      for (const [fill, table] of [
        ["insert into pets (name, category_id) values ('Rex', 1)", 'pets'],
        ["insert into idempotency_keys values ('x', 'k', '', 1, 1)", 'idempotency_keys'],
        ["insert into api_keys values ('x', 'x', 'x', 'x', 'x', 1)", 'api_keys'],
        [
          "insert into animal_store_changes (id, changed_at, operator, action) values ('x', 1, 'x', 'x')",
          'animal_store_changes',
        ],
      ] as const) {
        await execute(url, fill);
        await expectFailure(
          source.databaseUrl,
          url,
          'the target has animals, keys or records of changes already; copy into an',
        );
        await execute(url, `delete from ${table}`);
      }
      // Passes the address in TARGET_URL, so that the list of processes does not show its password.
      const environment = { DATABASE_URL: source.databaseUrl, TARGET_URL: url };
      expect((await runInProcess(['copy'], environment)).code).to.equal(0);
    }));

  it('says what is wrong with a source or a target', () =>
    withBoth(sqliteFile, postgresDatabase, async (source, target) => {
      const folder = await makeFolder();
      const { databaseUrl: from } = source;
      await symlink(fileOf(source), join(folder, 'link'));
      for (const [one, other, reason] of [
        [from, `sqlite:${join(folder, 'link')}`, 'the source and the target are the same database'],
        [target.databaseUrl, target.databaseUrl, 'the source and the target are the same database'],
        [
          from,
          'memory:',
          'this command needs a database, but TARGET_URL is `memory:`; set it to sqlite:FILE',
        ],
        ['memory:', from, 'this command needs a database'],
        [`sqlite:${join(folder, 'none')}`, from, 'there is no animal store in'],
        [target.databaseUrl, `sqlite:${join(folder, 'new')}`, 'the database postgres://'],
        ['postgres://127.0.0.1:1/x', from, "the database postgres://127.0.0.1:1/x can't be used: connect"],
        [from, `sqlite:${join(folder, 'none', 'new')}`, `the database sqlite:${join(folder, 'none', 'new')}`],
        [
          from,
          'postgres://127.0.0.1:1/x',
          "the database postgres://127.0.0.1:1/x can't be used: connect ECONNREFUSED 127.0.0.1:1; start PostgreSQL there, or set the host and port in TARGET_URL",
        ],
      ] as const)
        await expectFailure(one, other, reason);
      const urlFile = await newFile('url', target.databaseUrl);
      expect(
        (await runInProcess(['copy', target.databaseUrl], { DATABASE_URL_FILE: urlFile })).stderr,
      ).to.include('error: the source and the target are the same database; nothing was copied');
      expect(await readdir(folder)).to.deep.equal(['link']);
      for (const [address, error, exitCode] of [
        [' ', 'name the target: add its address, or set TARGET_URL; see ', 2],
        ['mysql://x', 'TARGET_URL must be sqlite:FILE', 1],
      ] as const) {
        const { code, stderr } = await runInProcess(['copy'], { DATABASE_URL: from, TARGET_URL: address });
        expect(stderr).to.include(`error: ${error}`);
        expect(code).to.equal(exitCode);
      }
    }));

  it('refuses a source with another schema than that of this version', () =>
    withBoth(sqliteFile, sqliteFile, async (source, target) => {
      const { databaseUrl: url } = source;
      for (const migrations of [['000_earlier'], ['001_create_tables', '999_later.generation-2']]) {
        const { writePool, close } = source.open();
        await writePool('animal_store_migrations').delete();
        await writePool('animal_store_migrations').insert(migrations.map((name) => ({ name, batch: 1 })));
        await close();
        await expectFailure(
          url,
          target.databaseUrl,
          `the database ${url} can't be used: its tables are not those of this version of animal-store; set DATABASE_URL to the right database, run \`animal-store migrate\` on it, or copy with the version that made the tables`,
        );
        expect(existsSync(fileOf(target))).to.equal(false);
      }
    }));

  it('refuses a SQLite source that this user may not write, and leaves nothing next to it', async function () {
    await needsReadableBuild(this);
    await withBoth(sqliteFile, sqliteFile, async (source) => {
      const folder = dirname(fileOf(source));
      await chmod(folder, 0o777);
      await chmod(fileOf(source), 0o444);
      const { code, stderr } = await runUnprivileged(
        [process.execPath, main, 'copy', `sqlite:${join(folder, 'new')}`],
        { DATABASE_URL: source.databaseUrl },
      );
      expect(stderr).to.include(`this user may only read ${fileOf(source)}, and would leave a log`);
      expect(code).to.equal(1);
      expect(await readdir(folder)).to.deep.equal([basename(fileOf(source))]);
    });
  });
});
