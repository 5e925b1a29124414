import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { type Outcome, runCommand, startProgram } from '../support/processes/command';
import { columnOf } from '../support/databases/sqlite-files';
import { migrationNames } from '../support/databases/migrations';
import { newDatabaseFile, removeFolders } from '../support/temporary-folder';

const knex = (command: string, DATABASE_URL: string): Promise<Outcome> =>
  startProgram('npm', ['run', '--silent', 'knex', '--', command], {
    environment: { DATABASE_URL, NO_COLOR: '1' },
  }).ended;

const allDone = (names: ReadonlyArray<string>): string =>
  `Found ${names.length} Completed Migration file/files.\n${names.join('\n')}\nNo Pending Migration files Found.`;

describe("Knex's own command line", () => {
  const names = migrationNames();
  afterEach(removeFolders);

  it('finds nothing to do after the service has migrated', async () => {
    const address = `sqlite:${await newDatabaseFile()}`;
    expect((await runCommand(['migrate'], { DATABASE_URL: address })).code).to.equal(0);
    const list = await knex('migrate:list', address);
    expect(list.stdout.trim()).to.equal(allDone(names));
    expect(list.code).to.equal(0);
    expect((await knex('migrate:latest', address)).stdout).to.include('Already up to date');
  });

  it('leaves the service nothing to do after it has migrated', async () => {
    const file = await newDatabaseFile();
    const address = `sqlite:${file}`;
    const missing = await knex('migrate:latest', address);
    expect(missing.stdout + missing.stderr).to.include('SQLITE_CANTOPEN');
    await writeFile(file, '');
    const pending = await knex('migrate:list', address);
    expect(pending.stdout).to.include(`Found ${names.length} Pending Migration file/files.`);
    for (const name of names) expect(pending.stdout).to.include(name);
    const latest = await knex('migrate:latest', address);
    expect(latest.stdout).to.include(`Batch 1 run: ${names.length} migrations`);
    expect(await columnOf(file, 'animal_store_migrations', 'name')).to.deep.equal(names);
    const migrated = await runCommand(['migrate', '--json'], { DATABASE_URL: address });
    expect(migrated).to.include({ code: 0, stdout: '{"ran":[]}\n' });
  });

  it('refuses settings that are wrong, without their values', async () => {
    const { code, stdout, stderr } = await knex('migrate:list', 'mysql://keeper:s3cretWord@host/animals');
    expect(code).to.equal(1);
    expect(`${stdout}${stderr}`).to.include('DATABASE_URL must be').and.not.include('s3cretWord');
  });
});
