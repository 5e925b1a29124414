import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { openPostgres } from '../../../../adapters/knex';
import { eventually } from '../../../support/eventually';
import { execute, inPostgresDatabase } from '../../../support/postgres/postgres';

const options = { poolSize: 2, statementTimeoutMs: 3_000 };

const withUser = (url: string, user: string, password: string): string => {
  const changed = new URL(url);
  changed.username = user;
  changed.password = password;
  return changed.href;
};

const endSessionsOf = (role: string): string =>
  `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`;

describe('The URL of a PostgreSQL database, given as a function', () => {
  it('is asked for again, so that new connections have a rotated password', () =>
    inPostgresDatabase(async (url) => {
      const role = `rotated_${randomBytes(8).toString('hex')}`;
      let password = 'first';
      await execute(url, `create role ${role} login password '${password}'`);
      const { readPool, close } = openPostgres(() => withUser(url, role, password), options);
      const canRead = (): Promise<boolean> =>
        readPool.raw('select 1').then(
          () => true,
          () => false,
        );
      try {
        expect(await canRead()).to.equal(true);
        await execute(url, `alter role ${role} password 'second'`, endSessionsOf(role));
        await eventually('the first password is rejected', 20_000, async () => !(await canRead()));
        password = 'second';
        await eventually('the second password is accepted', 20_000, canRead);
      } finally {
        await close();
        await execute(url, `drop role ${role}`);
      }
    }));

  it('replaces all connections when it changes, because it may name another server', () =>
    inPostgresDatabase((first) =>
      inPostgresDatabase(async (second) => {
        let url = first;
        const { writePool, close } = openPostgres(() => url, options);
        const databases = async (): Promise<ReadonlyArray<string>> => {
          const transactions = [await writePool.transaction(), await writePool.transaction()];
          const names: Array<string> = [];
          for (const transaction of transactions) {
            const { name } = await transaction.first<{ readonly name: string }>(
              transaction.raw('current_database() as name'),
            );
            names.push(name);
            await transaction.rollback();
          }
          return names;
        };
        const named = (text: string): string => new URL(text).pathname.slice(1);
        try {
          expect(await databases()).to.deep.equal([named(first), named(first)]);
          url = second;
          await eventually('both connections lead to the second database', 20_000, async () =>
            (await databases()).every((name) => name === named(second)),
          );
        } finally {
          await close();
        }
      }),
    ));
});
