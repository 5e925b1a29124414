import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgres } from '../../../adapters/knex';
import { eventually } from '../../support/eventually';
import { throughProxy } from '../../support/postgres/freezing-proxy';
import { execute, inPostgresDatabase, withRole } from '../../support/postgres/postgres';
import { main, projectFolder, startProgram } from '../../support/processes/command';
import { runInProcess } from '../../support/processes/run-in-process';
import { makeFolder, removeFolders } from '../../support/temporary-folder';

const open = (url: string) => openPostgres(url, { poolSize: 1, statementTimeoutMs: 30_000 });

const run = async (url: string, ...command: ReadonlyArray<string>): Promise<string> => {
  const { code, stderr } = await runInProcess(command, { DATABASE_URL: url, PORT: '0' });
  expect(code, stderr).to.equal(1);
  return stderr;
};

const migrateIn = async (url: string): Promise<void> => {
  expect(await runInProcess(['migrate'], { DATABASE_URL: url })).to.include({ code: 0 });
};

const inBusyServer =
  '; another session holds a lock, or the server is slow; look at pg_stat_activity, and try again\n';

const migrateAsOwner =
  'run `migrate` of this version with the address of the role that owns the tables, or the database if it has none; docs/postgresql.md has the commands\n';

const rightsOfService = (role: string): ReadonlyArray<string> => [
  `grant select, insert, update, delete on all tables in schema public to ${role}`,
  `grant usage, select on all sequences in schema public to ${role}`,
];

describe('The advice of a command', () => {
  afterEach(removeFolders);

  it('for a lock that another session holds is not about the network', () =>
    inPostgresDatabase(async (url) => {
      await migrateIn(url);
      const { writePool, close } = open(url);
      const transaction = await writePool.transaction();
      await transaction.raw('lock table api_keys in access exclusive mode');
      const stderr = await run(url, 'keys', 'list');
      await transaction.rollback();
      await close();
      expect(stderr).to.include(`can't be used: canceling statement due to lock timeout${inBusyServer}`);
    }));

  it('for a server that does not answer says only after a change that the change may have been made', () =>
    inPostgresDatabase(async (url) => {
      await migrateIn(url);
      const mayHave = /; a change may have been made\n$/;
      await execute(
        url,
        `create function pause() returns trigger language plpgsql as
           $$ begin perform pg_sleep(5); return new; end $$`,
        'create trigger pause after insert on api_keys execute function pause()',
        'create trigger pause after delete on pets execute function pause()',
      );
      const ids = join(await makeFolder(), 'ids');
      writeFileSync(ids, '1\n');
      const { readPool, close } = open(url);
      await throughProxy(url, async (proxied, { freeze }) => {
        const creation = run(proxied, 'keys', 'create', '--name', 'x');
        const deletion = run(proxied, 'pets', 'delete', '--ids', ids);
        await eventually('the insert and the deletion run', 20_000, async () => {
          const sleeping = await readPool('pg_stat_activity')
            .pluck('pid')
            .where({ wait_event: 'PgSleep', datname: readPool.raw('current_database()') });
          return sleeping.length === 2;
        });
        freeze();
        expect(await creation).to.match(mayHave);
        expect(await deletion).to.match(/; either all were deleted or none; repeat the command\n$/);
        expect(await run(proxied, 'keys', 'list'))
          .to.include('check that the server answers')
          .and.not.match(mayHave);
      });
      await close();
    }));

  it('for a session that is read-only is not about rights', () =>
    inPostgresDatabase(async (url) => {
      const readOnly = `${url}?options=-c%20default_transaction_read_only=on`;
      const advice =
        "can't be used: the server is read-only; set the host of the primary server in DATABASE_URL, or default_transaction_read_only to off\n";
      expect(await run(readOnly, 'migrate')).to.include(advice);
      await migrateIn(url);
      expect(await run(readOnly, 'keys', 'create', '--name', 'x')).to.include(advice);
    }));

  it('for a role without rights says who has to migrate, and where the grants are', () =>
    inPostgresDatabase((url) =>
      withRole(url, async (asRole, role) => {
        const environment = { DATABASE_URL: asRole.href, PORT: '0' };
        const grants =
          'to serve, grant this role its rights with the script that docs/postgresql.md names, with `--set=role=ROLE --set=schema=SCHEMA`; for another command, set DATABASE_URL to the address of a role that has the right, such as the owner of the tables\n';
        const asOwner = `permission denied for schema public; ${migrateAsOwner}`;
        for (const command of ['migrate', 'serve'])
          expect(await run(asRole.href, command)).to.include(asOwner);
        expect((await runInProcess(['doctor'], environment)).stdout).to.include(asOwner);
        await migrateIn(url);
        await execute(url, `grant select on animal_store_migrations to ${role}`);
        expect(await run(asRole.href, 'keys', 'list')).to.include(
          `permission denied for table api_keys; ${grants}`,
        );
        await execute(url, `grant select, insert, update, delete on all tables in schema public to ${role}`);
        expect((await runInProcess(['doctor'], environment)).stdout).to.include(
          `permission denied: usage on pets_id_seq; ${grants}`,
        );
      }),
    ));

  it('for a role that may not delete animals says that nothing was deleted', () =>
    inPostgresDatabase((url) =>
      withRole(url, async (asRole, role) => {
        await migrateIn(url);
        await execute(url, ...rightsOfService(role), `revoke delete on pets from ${role}`);
        const ids = join(await makeFolder(), 'ids');
        writeFileSync(ids, '1\n');
        expect(await run(asRole.href, 'pets', 'delete', '--ids', ids)).to.match(
          /permission denied for table pets; .*; nothing was deleted\n$/,
        );
      }),
    ));

  it('for a role that may not change keys says to create the first key with another role', () =>
    inPostgresDatabase((url) =>
      withRole(url, async (asRole, role) => {
        await migrateIn(url);
        await execute(
          url,
          ...rightsOfService(role),
          `revoke insert, update, delete on api_keys from ${role}`,
          `grant update (last_used_at) on api_keys to ${role}`,
        );
        const { code, stdout } = await runInProcess(['doctor'], { DATABASE_URL: asRole.href, PORT: '0' });
        expect(stdout).to.match(
          /^FAIL +keys +there is no valid API key; set API_KEYS, or create a key with/m,
        );
        expect(code).to.equal(1);
        expect(await run(asRole.href, 'serve')).to.include('there is no valid API key; set API_KEYS, or');
        expect(await run(asRole.href, 'keys', 'create', '--name', 'x')).to.match(
          /permission denied for table api_keys; to serve, .*; for another command, set DATABASE_URL to the address of a role that has the right/,
        );
        await runInProcess(['keys', 'create', '--name', 'x'], { DATABASE_URL: url });
        const withKey = await runInProcess(['doctor'], { DATABASE_URL: asRole.href, PORT: '0' });
        expect(withKey.stdout)
          .to.match(/^ok +rights /m)
          .and.match(/^ok +keys +1 valid key/m);
      }),
    ));

  it('for a migration names the owner of the tables, by doctor before the start fails', () =>
    inPostgresDatabase((url) =>
      withRole(url, async (asRole, role) => {
        await migrateIn(url);
        await execute(url, ...rightsOfService(role));
        const later = ['--import', join(projectFolder, 'test/faults/support/more-migrations.mjs'), main];
        const runLater = async (command: string, address: string) => {
          const environment = {
            DATABASE_URL: address,
            PORT: '0',
            API_KEYS: 'x'.repeat(30),
            TEST_MIGRATIONS: 'adds',
          };
          return startProgram(process.execPath, [...later, command], { environment }).ended;
        };
        const reason = `must be owner of table pets; ${migrateAsOwner}`;
        const doctor = await runLater('doctor', asRole.href);
        expect(doctor.stdout)
          .to.match(/^FAIL +rights /m)
          .and.include(reason);
        expect(doctor.code).to.equal(1);
        expect((await runLater('serve', asRole.href)).stderr).to.include(reason);
        // As the owner of the tables, doctor tries the migration and rolls it back, also while the service locks the
        // table.
        const { writePool, close } = open(url);
        const transaction = await writePool.transaction();
        await transaction.raw('lock table pets in row exclusive mode');
        expect((await runLater('doctor', url)).stdout).to.match(/^ok +rights /m);
        await transaction.rollback();
        expect((await runLater('doctor', url)).stdout).to.match(/^ok +rights /m);
        expect(await writePool.schema.hasColumn('pets', 'colour')).to.equal(false);
        await close();
        expect((await runLater('migrate', url)).code).to.equal(0);
        expect((await runLater('doctor', asRole.href)).stdout).to.match(/^ok +rights /m);
      }),
    ));

  it('for a search path without a schema names it', () =>
    inPostgresDatabase(async (url) => {
      const nowhere = `${url}?options=-c%20search_path=''`;
      expect(await run(nowhere, 'migrate')).to.match(/; the search path names no schema that exists/);
    }));
});
