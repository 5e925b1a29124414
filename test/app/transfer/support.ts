import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqlite } from '../../../adapters/knex';
import { type NewPet, newPetFieldNames } from '../../../core';
import { type Catalogue, newCatalogue } from '../../support/databases/catalogue';
import { columnOf } from '../../support/databases/sqlite-files';
import {
  type Environment,
  main,
  type Outcome,
  startProgram,
  withoutDatabaseLine,
} from '../../support/processes/command';
import { runInProcess as runWithDatabaseLine } from '../../support/processes/run-in-process';
import { execute } from '../../support/postgres/postgres';
import { makeFolder } from '../../support/temporary-folder';

/** Makes animals with the names `animal 1`, `animal 2` and so on. */
export const animals = (count: number): ReadonlyArray<NewPet> =>
  Array.from({ length: count }, (_, index) => ({
    name: `animal ${index + 1}`,
    categoryId: 9007199254740993n,
    ...(index % 3 === 0 ? { status: 'sold' } : {}),
  }));

/** Rows of more animals than a batch has, so that an import of them writes some before its input ends. */
export const someRows = '{"name":"Rex","categoryId":1}\n'.repeat(3_000);

const columns = [...newPetFieldNames, 'id'];

export const csvHeader = columns.join();

/** Returns the row of an animal in a CSV file whose cells need no quotes. */
export const csvRow = (cells: Readonly<Record<string, string | number>>): string =>
  columns.map((name) => cells[name] ?? '').join();

/** Makes a database with many animals, which a statement of the database generates. */
export const newLargeCatalogue = async (count: number): Promise<Catalogue> => {
  const catalogue = await newCatalogue();
  const { writePool, close } = openSqlite(catalogue.file);
  await writePool.raw(
    `insert into pets (name, category_id)
     with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
     select 'animal ' || n, 1 from numbers`,
  );
  await close();
  return catalogue;
};

export const namesIn = (file: string): Promise<ReadonlyArray<unknown>> => columnOf(file, 'pets', 'name');

/** Runs a command, and removes the line that names the database. */
export const runInProcess = async (
  command: ReadonlyArray<string>,
  ...rest: [Environment?, Parameters<typeof runWithDatabaseLine>[2]?]
): Promise<Outcome> => withoutDatabaseLine(await runWithDatabaseLine(command, ...rest));

/** Runs a script in which `$STORE` is the command line, and removes the line that names the database. */
export const runScript = async (
  script: string,
  environment: Environment,
  folder?: string,
): Promise<Outcome> => {
  const STORE = `${process.execPath} ${main}`;
  const options = { environment: { ...environment, STORE }, ...(folder === undefined ? {} : { folder }) };
  return withoutDatabaseLine(await startProgram('sh', ['-c', script], options).ended);
};

export const newFile = async (name: string, text: string): Promise<string> => {
  const file = join(await makeFolder(), name);
  await writeFile(file, text);
  return file;
};

/** Makes PostgreSQL end the connection of a transaction that adds animals while the transaction commits. */
export const endConnectionsAtCommit = (url: string): Promise<void> =>
  execute(
    url,
    `create function end_connection() returns trigger language plpgsql as
     $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`,
    `create constraint trigger at_commit after insert on pets deferrable initially deferred
     for each row execute function end_connection()`,
  );

/** Makes PostgreSQL refuse each new animal, as for a role without the right to add animals. */
export const refuseInserts = (url: string): Promise<void> =>
  execute(
    url,
    `create function refuse() returns trigger language plpgsql as
     $$ begin raise exception 'no right' using errcode = '42501'; end $$`,
    'create trigger refuse before insert on pets execute function refuse()',
  );

export const makePipe = async (): Promise<string> => {
  const path = join(await makeFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
};

export const newBackupFile = async (): Promise<string> => join(await makeFolder(), 'backup.sqlite3');

export const newBackup = async (): Promise<string> => {
  const { environment } = await newCatalogue(animals(3));
  const backup = await newBackupFile();
  expect((await runInProcess(['backup', backup], environment)).code).to.equal(0);
  return backup;
};
