import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { openPostgres } from '../../../adapters/knex';
import { execute, inPostgresDatabase } from '../../support/postgres/postgres';
import { runInProcess } from '../../support/processes/run-in-process';

const open = (url: string) => openPostgres(url, { poolSize: 1, statementTimeoutMs: 30_000 });

const run = async (url: string, ...command: ReadonlyArray<string>): Promise<string> => {
  const { code, stderr } = await runInProcess(command, { DATABASE_URL: url });
  expect(code, stderr).to.equal(1);
  return stderr;
};

const migrateIn = async (url: string): Promise<void> => {
  expect(await runInProcess(['migrate'], { DATABASE_URL: url })).to.include({ code: 0 });
};

const inBusyServer =
  '; another session holds a lock, or the server is slow; look at pg_stat_activity, and try again\n';

describe('The advice of a command', () => {
  it('for a lock that another session holds is not about the network', () =>
    inPostgresDatabase(async (url) => {
      await migrateIn(url);
      const { writes, close } = open(url);
      const transaction = await writes.transaction();
      await transaction.raw('lock table api_keys in access exclusive mode');
      const stderr = await run(url, 'keys', 'list');
      await transaction.rollback();
      await close();
      expect(stderr).to.include(`can't be used: canceling statement due to lock timeout${inBusyServer}`);
    }));

  it('for a session that is read-only is not about rights', () =>
    inPostgresDatabase(async (url) => {
      const readOnly = new URL(url);
      readOnly.searchParams.set('options', '-c default_transaction_read_only=on');
      const advice =
        "can't be used: the server is read-only; set the host of the primary server in DATABASE_URL, or default_transaction_read_only to off\n";
      expect(await run(readOnly.href, 'migrate')).to.include(advice);
      await migrateIn(url);
      expect(await run(readOnly.href, 'keys', 'create', '--name', 'x')).to.include(advice);
    }));

  it('for a role without rights says who has to migrate, and where the grants are', () =>
    inPostgresDatabase(async (url) => {
      const role = `few_${randomBytes(8).toString('hex')}`;
      const asRole = new URL(url);
      asRole.username = asRole.password = role;
      const environment = { DATABASE_URL: asRole.href, PORT: '0' };
      await execute(url, `create role ${role} login password '${role}'`);
      try {
        const grants =
          'grant this role its rights with the script that docs/postgresql.md names, with `--set=role=ROLE --set=schema=SCHEMA`\n';
        const asOwner = `permission denied for schema public; run \`animal-store migrate\` as the owner of the database, and ${grants}`;
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
          `permission denied for sequence pets_id_seq; ${grants}`,
        );
      } finally {
        await execute(url, `drop owned by ${role}`, `drop role ${role}`);
      }
    }));

  it('for a search path without a schema names it', () =>
    inPostgresDatabase(async (url) => {
      const nowhere = new URL(url);
      nowhere.searchParams.set('options', "-c search_path=''");
      expect(await run(nowhere.href, 'migrate')).to.match(/; the search path names no schema that exists/);
    }));
});
