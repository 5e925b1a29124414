import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import knex, { type Knex } from 'knex';
import { type ErrorKind, errorKindOf, failedBy } from '../../../../adapters/knex/database/errors';
import { newestProgramFolder } from '../../../support/postgres/installed-servers';
import { execute, inPostgresDatabase } from '../../../support/postgres/postgres';
import { withOwnPostgres } from '../../../support/postgres/postgres-server';
import { freePort } from '../../../support/processes/system';
import { inFolder } from '../../../support/temporary-folder';

/** Messages of PostgreSQL in other languages, whose quotation marks differ. */
const readOnlyMessages = [
  '"the server is read-only"',
  '»the server is read-only«',
  '« the server is read-only »',
];

const kindOfFailure = (work: Promise<unknown>): Promise<ErrorKind | undefined> =>
  work.then(() => undefined, errorKindOf);

/** Statements of one session, the last of which fails. */
type Statements = ReadonlyArray<string>;

const failures: ReadonlyArray<readonly [ErrorKind, Statements]> = [
  ['ReadOnlyServer', ['set default_transaction_read_only = on', 'delete from pets']],
  ['IdTaken', ['insert into pets values (1), (1)']],
  ['Duplicate', ['insert into names values (1), (1)']],
  ['ObjectExists', ['create table pets (id int)']],
  ['NoIdLeft', ['create sequence ids maxvalue 2', "select setval('ids', 2)", "select nextval('ids')"]],
  ['StatementTimeout', ["set statement_timeout = '10ms'", 'select pg_sleep(10)']],
  ['NoRight', ['set role ROLE', 'alter table pets add other int']],
  ['NoRight', ['set role ROLE', 'select * from pets']],
  [
    'NoRight',
    ['create schema hidden', 'create table hidden.pets (id int)', 'set role ROLE', 'table hidden.pets'],
  ],
  [
    'RowSecurity',
    [
      'create table guarded (id int)',
      'alter table guarded enable row level security',
      'grant insert on guarded to ROLE',
      'set role ROLE',
      'insert into guarded values (1)',
    ],
  ],
  [
    'RowSecurity',
    [
      'create table hiding (id int)',
      'alter table hiding enable row level security',
      'grant select on hiding to ROLE',
      'set role ROLE',
      'set row_security = off',
      'table hiding',
    ],
  ],
  ['NoSchema', ['create table missing.pets (id int)']],
  ['MissingObject', ['select other from pets']],
  ['MissingObject', ['select * from others']],
  ['MissingObject', ['create table others (id unknown_type)']],
  ['ColumnUsed', ['create view pet_ids as select id from pets', 'alter table pets alter id type text']],
  ['ColumnUsed', ['create view all_ids as select id from pets', 'alter table pets drop id']],
  ['Damaged', ["do $$ begin raise 'invalid page' using errcode = 'data_corrupted'; end $$"]],
  ['Damaged', ["do $$ begin raise 'no leaf page' using errcode = 'index_corrupted'; end $$"]],
  ['Rejected', ["insert into pets values ('x')"]],
  ['Rejected', ['insert into positive values (0)']],
  ['Rejected', ["do $$ begin raise 'no'; end $$"]],
];

/** Statements of two sessions, of which the second fails with this kind of error. */
const conflicts: ReadonlyArray<readonly [ErrorKind, first: Statements, second: Statements]> = [
  ['Conflict', ['update pets set id = 3 where id = 1', 'commit'], ['update pets set id = 4 where id = 1']],
  [
    'RowLocked',
    ['select * from pets for update'],
    ["set lock_timeout = '10ms'", 'select * from pets for update'],
  ],
];

const addressWith = (url: string, changes: Partial<URL>): string => Object.assign(new URL(url), changes).href;

describe('An error of PostgreSQL', () => {
  const role = `animal_store_test_${randomBytes(6).toString('hex')}`;
  const named = (statements: Statements) => statements.map((statement) => statement.replaceAll('ROLE', role));
  const tables = [
    'create table pets (id int primary key)',
    'create table names (name int unique)',
    'create table positive (value int check (value > 0))',
  ];

  const expectKinds = async (url: string): Promise<void> => {
    await execute(url, ...tables, `create role ${role} connection limit 0 login password 'secret'`);
    const asRole = addressWith(url, { username: role, password: 'secret' });
    try {
      for (const [kind, statements] of failures)
        expect(await kindOfFailure(execute(url, ...named(statements))), statements.join('; ')).to.equal(kind);
      expect(await kindOfFailure(execute(asRole))).to.equal('TooManySessions');
      expect(await kindOfFailure(execute(addressWith(asRole, { password: 'wrong' })))).to.equal(
        'LoginRejected',
      );
      expect(await kindOfFailure(execute(addressWith(url, { pathname: '/missing' })))).to.equal('NoDatabase');
      const port = String(await freePort());
      expect(await kindOfFailure(execute(addressWith(url, { port })))).to.equal('ConnectionRefused');
      const withTls = `${url}?sslmode=verify-full`;
      expect(await kindOfFailure(execute(withTls))).to.equal('NoTls');
    } finally {
      await execute(url, `drop owned by ${role}`, `drop role ${role}`);
    }
  };

  it('has the kind that the table of errors gives it', () => inPostgresDatabase(expectKinds));

  it('has the same kind in German', async function () {
    const programFolder = newestProgramFolder();
    // The server of the npm package has no translations.
    if (programFolder === undefined) this.skip();
    const { LANGUAGE = '' } = process.env;
    process.env['LANGUAGE'] = 'de';
    // gettext ignores LANGUAGE with the locale C.
    const initdbArguments = ['--lc-messages=C.UTF-8'];
    await withOwnPostgres(
      async ({ url, query }) => {
        const message = await query('table others').then(String, String);
        // An installation without documentation files may also lack the translations.
        if (!message.endsWith('existiert nicht')) this.skip();
        await expectKinds(url);
      },
      { initdbArguments, programFolder },
    ).finally(() => (process.env['LANGUAGE'] = LANGUAGE));
  });

  for (const [kind, first, second] of conflicts) {
    it(`is ${kind} for a statement that another transaction is in the way of`, () =>
      inPostgresDatabase(async (url) => {
        await execute(url, ...tables, 'insert into pets values (1), (2)');
        const pool = knex({ client: 'pg', connection: url });
        try {
          const [holder, loser] = [
            await pool.transaction(),
            await pool.transaction({ isolationLevel: 'repeatable read' }),
          ];
          await loser.raw('select 1 from names');
          for (const statement of first) await holder.raw(statement);
          const work = async () => {
            for (const statement of second) await loser.raw(statement);
          };
          expect(await kindOfFailure(work())).to.equal(kind);
          await Promise.all([holder.rollback(), loser.rollback()]);
        } finally {
          await pool.destroy();
        }
      }));
  }
});

const sqliteFailures: ReadonlyArray<readonly [ErrorKind, Statements]> = [
  ['Duplicate', ['insert into pets values (1), (1)']],
  ['MissingObject', ['select other from pets']],
  ['MissingObject', ['select * from others']],
  ['FileFull', ['pragma max_page_count = 3', 'insert into texts select hex(zeroblob(1000000))']],
  ['Rejected', ["insert into pets values ('x')"]],
  ['Rejected', ['insert into pets values (-1)']],
];

describe('An error of a server that speaks another language', () => {
  for (const quoted of readOnlyMessages)
    it(`is known for that of a read-only server by any quotation marks: ${quoted}`, () => {
      const error = Object.assign(new Error(`select 1 - ungültige Eingabe: ${quoted}`), { code: '22P02' });
      expect(errorKindOf(error)).to.equal('ReadOnlyServer');
    });
});

describe('The failure of a statement', () => {
  it('has the calls that led to it, without the statement', () => {
    const error = new Error("insert into pets values ('Rex')\n    at 'home' - no such table: pets");
    const failed = failedBy(error);
    const { stack = '' } = E.isLeft(failed) ? failed.left.cause : error;
    expect(stack).to.match(/^Error: no such table: pets\n +at .*errors\.test\.ts/);
    expect(stack).not.to.contain('Rex');
  });
});

describe('An error of SQLite', () => {
  const withFile = (test: (open: () => Knex, file: string) => Promise<void>) =>
    inFolder(async (folder) => {
      const file = join(folder, 'pets.sqlite3');
      const pools: Array<Knex> = [];
      const open = (): Knex => {
        const pool = knex({ client: 'sqlite3', connection: { filename: file }, useNullAsDefault: true });
        pools.push(pool);
        return pool;
      };
      try {
        await test(open, file);
      } finally {
        await Promise.all(pools.map((pool) => pool.destroy()));
      }
    });

  it('has the kind that the table of errors gives it', () =>
    withFile(async (open) => {
      const pool = open();
      await pool.raw('create table pets (id integer primary key check (id > 0))');
      await pool.raw('create table texts (text text)');
      for (const [kind, statements] of sqliteFailures) {
        const work = async () => {
          for (const statement of statements) await pool.raw(statement);
        };
        expect(await kindOfFailure(work()), statements.join('; ')).to.equal(kind);
      }
    }));

  it('is FileLocked while another connection writes', () =>
    withFile(async (open) => {
      const [holder, other] = [open(), open()];
      await holder.raw('begin exclusive');
      await other.raw('pragma busy_timeout = 0');
      expect(await kindOfFailure(Promise.resolve(other.raw('create table pets (id)')))).to.equal(
        'FileLocked',
      );
      await holder.raw('rollback');
    }));

  it('is NotSqlite for a file of another program, and Damaged for pages that make no sense', () =>
    withFile(async (open, file) => {
      await writeFile(file, 'x'.repeat(8_192));
      expect(await kindOfFailure(Promise.resolve(open().raw('select * from pets')))).to.equal('NotSqlite');
      const header = Buffer.alloc(8_192);
      header.write('SQLite format 3\0\x10\0\x01\x01\0\x40\x20\x20', 'latin1');
      header.writeInt32BE(4, 44);
      header.fill(0xff, 100, 200);
      await writeFile(file, header);
      expect(await kindOfFailure(Promise.resolve(open().raw('select * from pets')))).to.equal('Damaged');
    }));
});
