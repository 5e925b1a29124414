import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  scarceDiskBytes,
  apiKeyStore,
  type OpenedDatabase,
  inspectDatabase,
  inspectDisk,
  knexAuthenticate,
  knexPetRepository,
  errorKindOf,
  knexReadiness,
  migrate,
  openPostgres,
  readSchema,
  runDoctorChecks,
} from '../../../../adapters/knex';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../../../contracts';
import {
  databaseKinds,
  postgresDatabase,
  sqliteFile,
  withDatabase,
  withEmptyDatabase,
} from '../../../support/databases/databases';
import { eventually } from '../../../support/eventually';
import { execute, withRole } from '../../../support/postgres/postgres';
import { projectFolder } from '../../../support/processes/command';
import { success } from '../../../contracts/outcome';
import { requiredRights } from '../../../../adapters/knex/postgres/checks';

const inspect = (database: OpenedDatabase) =>
  pipe(
    inspectDatabase(database),
    TE.flatMap(() => readSchema(database)),
    TE.tap((schema) => runDoctorChecks(database, schema)),
    TE.tap(({ generation }) => (generation === 0 ? TE.right([]) : apiKeyStore(database).list)),
  )();

const reasonOf = async (database: OpenedDatabase): Promise<string> => {
  const inspected = await inspect(database);
  return E.isLeft(inspected) ? E.toError(inspected.left.cause).message : '';
};

/** Errors of creates, each with the statement that causes it. */
const faults = [
  [
    'SQLite',
    sqliteFile,
    /no animals today/,
    "create trigger refuse before insert on pets begin select raise(abort, 'no animals today'); end",
  ],
  [
    'PostgreSQL',
    postgresDatabase,
    /null value in column "colour"/,
    'alter table pets add column colour text not null',
  ],
] as const;

describe('A database that refuses creates', () => {
  for (const [kind, makeDatabase, error, statement] of faults) {
    it(`fails the inspection with the error, and is ready to read: on ${kind}, ${statement}`, () =>
      withDatabase<OpenedDatabase>(makeDatabase, async (database) => {
        await database.writePool.raw(statement);
        const created = knexPetRepository(database).create(arbitraryNewPet(), {
          idempotency: arbitraryScopedIdempotencyKey(),
        });
        expect(await created()).to.have.property('_tag', 'Left');
        expect(await reasonOf(database)).to.match(error);
        expect(await knexReadiness(database)()).to.equal(undefined);
      }));
  }

  /**
   * Runs a test as a new role of PostgreSQL. `grant` gives the role the rights of the service, and then runs each of
   * its arguments with the name of the role appended.
   */
  const asRole = (
    test: (
      database: OpenedDatabase,
      owner: OpenedDatabase,
      grant: (...more: Array<string>) => Promise<void>,
    ) => Promise<void>,
  ): Promise<void> =>
    withEmptyDatabase(postgresDatabase, async (owner, _open, url) => {
      await success(migrate(owner));
      const grants = [
        `grant select, insert, update, delete on all tables in schema public to`,
        `grant usage, select on all sequences in schema public to`,
      ];
      await withRole(url, async (address, role) => {
        const database = openPostgres(address.href, { poolSize: 2, statementTimeoutMs: 3_000 });
        const grant = (...more: ReadonlyArray<string>) =>
          execute(url, ...[...grants, ...more].map((statement) => `${statement} ${role}`));
        await test(database, owner, grant).finally(database.close);
      });
    });

  it('fails the inspection, as it fails readiness, if commits take longer than a statement may', () =>
    withDatabase(postgresDatabase, async (database) => {
      await database.writePool.raw(
        `create function wait() returns trigger language plpgsql as
           $$ begin perform pg_sleep(30); return null; end $$;
         create constraint trigger slow after insert or update on heartbeats
           deferrable initially deferred for each row execute function wait()`,
      );
      const [inspected, ready] = await Promise.all([reasonOf(database), knexReadiness(database)()]);
      expect(inspected).to.match(/^a commit takes seconds; the disk of the database may be slow/);
      expect(ready).to.equal(inspected);
    }));

  it('is not ready, and fails the inspection on PostgreSQL, with each right that is missing', () =>
    asRole(async (database, _owner, grant) => {
      await grant();
      for (const [name, rights] of Object.entries(requiredRights))
        for (const right of rights) {
          await grant(`revoke ${right} on ${name} from`);
          expect(await reasonOf(database)).to.include(`${right} on ${name}`);
          expect(await knexReadiness(database)()).to.match(/^the role lacks rights/);
          await grant();
        }
      expect(await reasonOf(database)).to.equal('');
      expect(await knexReadiness(database)()).to.equal(undefined);
    }));

  it('is not ready, and answers no read with a part of the rows, if row-level security hides rows', () =>
    asRole(async (database, owner, grant) => {
      await grant();
      await success(knexPetRepository(owner).create(arbitraryNewPet()));
      for (const table of Object.keys(requiredRights).filter((name) => name !== 'pets_id_seq')) {
        await owner.writePool.raw(`alter table ${table} enable row level security`);
        expect(await reasonOf(database)).to.equal(`row-level security is active on ${table}`);
        expect(await knexReadiness(database)()).to.match(/^row-level security would hide rows/);
        expect(await database.readPool(table).select('*').catch(errorKindOf)).to.equal('RowSecurity');
        await owner.writePool.raw(`alter table ${table} disable row level security`);
      }
      expect(await knexReadiness(database)()).to.equal(undefined);
    }));

  it('needs no more rights on API keys than docs/postgresql.md leaves it, and records their use', () =>
    asRole(async (database, owner, grant) => {
      const page = readFileSync(join(projectFolder, 'docs/postgresql.md'), 'utf8');
      const statements = [...page.matchAll(/`((?:revoke|grant) [^`]+ on api_keys (?:from|to)) animals`/g)];
      expect(statements).to.have.lengthOf(2);
      await grant(...statements.map(([, statement = '']) => statement));
      expect(await reasonOf(database)).to.equal('');
      const { key } = await success(apiKeyStore(owner).create('shop'));
      await success(knexAuthenticate(database)(key));
      await eventually('the use of the key is recorded', 10_000, async () =>
        (await success(apiKeyStore(owner).list)).every(({ lastUsedAt }) => lastUsedAt !== null),
      );
      expect(await apiKeyStore(database).create('x')()).to.have.nested.property('left.cause.code', '42501');
    }));
});

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`A ${kind} database before the first start`, () => {
    const withEmpty = (test: (database: OpenedDatabase) => Promise<void>): Promise<void> =>
      withEmptyDatabase(makeDatabase, async (database) => {
        // SQLite creates the file with the first connection.
        await database.writePool.raw('select 1');
        await test(database);
      });

    it('fails the inspection if it has a table of another program', () =>
      withEmpty(async (database) => {
        await database.writePool.schema.createTable('api_keys', (columns) => columns.text('of_others'));
        const outcome = await inspect(database);
        expect(outcome).to.have.nested.property('left.cause.code', 'PERMANENT');
        expect(outcome).to.have.nested.property('left.cause.message').that.includes('api_keys');
      }));

    it('fails the inspection if the record of its migrations is lost', () =>
      withDatabase(makeDatabase, async (database) => {
        await database.writePool('animal_store_migrations').delete();
        expect(await inspect(database)).to.have.nested.property('left.cause.code', 'PERMANENT');
      }));

    it('passes the inspection if it is empty, and stays empty', () =>
      withEmpty(async (database) => {
        expect(await inspect(database)).to.have.property('_tag', 'Right');
        expect(await database.readPool.schema.hasTable('pets')).to.equal(false);
        expect(await database.readPool.schema.hasTable('animal_store_migrations')).to.equal(false);
      }));
  });

  describe(`The trial of a create on ${kind}`, () => {
    it('fails if a retry of a create would add a second animal', () =>
      withDatabase(makeDatabase, async (database) => {
        const { schema } = database.writePool;
        await schema.renameTable('idempotency_keys', 'former');
        await database.writePool.raw('create table idempotency_keys as select * from former');
        expect(await inspect(database))
          .to.have.nested.property('left.cause.message')
          .that.includes('restore its primary key');
      }));

    it('leaves nothing behind', () =>
      withDatabase(makeDatabase, async (database) => {
        expect(await inspect(database)).to.have.property('_tag', 'Right');
        for (const table of ['pets', 'idempotency_keys'])
          expect(await database.readPool(table).first(database.readPool.raw('1'))).to.equal(undefined);
      }));
  });
}

describe('A database on a full disk', () => {
  it('fails the inspection, and nothing is written', () =>
    withDatabase(sqliteFile, async (database) => {
      const sizes = async () => ({ ...(await database.sizes()), diskAvailable: 8_000_000 });
      expect(await inspect({ ...database, sizes }))
        .to.have.nested.property('left.cause.message')
        .that.equals('ENOSPC: only 8000000 bytes are free');
      expect(await database.readPool('heartbeats').first('id')).to.equal(undefined);
    }));

  it('is announced by a warning, before a create fails', () =>
    withDatabase(sqliteFile, async (database) => {
      const warnings = async (diskAvailable: number) => {
        const sizes = async () => ({ ...(await database.sizes()), diskAvailable });
        return success(inspectDisk({ ...database, sizes }));
      };
      expect(await warnings(scarceDiskBytes)).to.deep.equal([]);
      expect(await warnings(scarceDiskBytes - 1)).to.have.nested.property('[0].severity', 'warning');
      const rules = readFileSync(join(projectFolder, 'deploy/prometheus/animal-store.rules.yaml'), 'utf8');
      const [, alertedBytes] = /^ +animal_store_disk_available_bytes < (\S+)$/m.exec(rules) ?? [];
      expect(scarceDiskBytes, 'as the alert').to.equal(Number(alertedBytes));
    }));
});
