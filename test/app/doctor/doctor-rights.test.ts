import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { success } from '../../contracts/outcome';
import { apiKeyStore, openPostgres } from '../../../adapters/knex';
import type { Environment } from '../../support/processes/command';
import { createPet } from '../../support/http/client';
import { execute, inPostgresDatabase } from '../../support/postgres/postgres';
import { runInProcess } from '../../support/processes/run-in-process';
import { whileServing } from '../../support/service/serve-in-process';
import { doctor } from './support';

interface Databases {
  readonly role: string;
  /** Address of the owner of the tables. */
  readonly owner: string;
  /** Settings of a service with the role. */
  readonly environment: Environment & { readonly DATABASE_URL: string };
}

/** Runs a test with a migrated database and a new role without rights. A `search_path` in `options` must exist. */
const withNewRole = (
  test: (databases: Databases) => Promise<void>,
  { schema }: { readonly schema?: string } = {},
): Promise<void> =>
  inPostgresDatabase(async (url) => {
    const role = `few_${randomBytes(8).toString('hex')}`;
    const addressOf = (user?: string): string => {
      const address = new URL(url);
      if (user !== undefined) address.username = address.password = user;
      if (schema !== undefined) address.searchParams.set('options', `-c search_path=${schema}`);
      return address.href;
    };
    await execute(url, `create role ${role} login password '${role}'`);
    try {
      if (schema !== undefined) await execute(url, `create schema ${schema}`);
      expect(await runInProcess(['migrate'], { DATABASE_URL: addressOf() })).to.include({ code: 0 });
      await test({ role, owner: url, environment: { PORT: '0', DATABASE_URL: addressOf(role) } });
    } finally {
      await execute(url, `drop owned by ${role}`, `drop role ${role}`);
    }
  });

/** Returns the statements that `doctor` advises to run. */
const advisedGrants = async (environment: Environment): Promise<ReadonlyArray<string>> => {
  const { failed } = await doctor(environment);
  const [, statements = ''] =
    /this role lacks rights; run: (.*;)$/.exec(
      failed.find(({ check }) => check === 'database')?.text ?? '',
    ) ?? [];
  return statements.split(/(?<=;) /).filter((statement) => statement !== '');
};

const passesDoctor = async (environment: Environment): Promise<void> => {
  const { failed } = await doctor(environment);
  // The shared server of the tests may run without fsync.
  expect(failed.filter(({ check }) => check !== 'durability')).to.deep.equal([]);
};

const grantsToServe = (role: string): ReadonlyArray<string> => [
  `grant select, insert on pets to ${role};`,
  `grant select, insert, update, delete on creation_keys to ${role};`,
  `grant select on api_keys to ${role};`,
  `grant select, insert, update on heartbeats to ${role};`,
  `grant select on animal_store_migrations to ${role};`,
  `grant usage on sequence pets_id_seq to ${role};`,
];

describe('A role of PostgreSQL that lacks rights', () => {
  it('learns all of them from doctor at once, and serves with them', () =>
    withNewRole(async ({ role, owner, environment }) => {
      const withKeys = { ...environment, API_KEYS: 'a-key' };
      const advised = await advisedGrants(withKeys);
      expect(advised).to.deep.equal(grantsToServe(role));
      await execute(owner, advised.join(' '));
      await passesDoctor(withKeys);
      await whileServing(withKeys, async ({ address }) => {
        const { status } = await createPet({ address, key: 'a-key' }, '{"name":"Rex","categoryId":7}');
        expect(status).to.equal(201);
      });
    }));

  it('learns the same from doctor if it may create tables', () =>
    withNewRole(async ({ role, owner, environment }) => {
      await execute(owner, `grant create on schema public to ${role}`);
      expect(await advisedGrants({ ...environment, API_KEYS: 'a-key' })).to.deep.equal(grantsToServe(role));
    }));

  it('learns the rights on sequences and those to create the first key', () =>
    withNewRole(async ({ role, owner, environment }) => {
      await execute(owner, `grant select on all tables in schema public to ${role}`);
      const advised = await advisedGrants(environment);
      expect(advised).to.include(`grant usage on sequence pets_id_seq to ${role};`);
      expect(advised).to.include(`grant insert on api_keys to ${role};`);
      expect(advised.filter((statement) => statement.includes('setup_lock'))).to.deep.equal([
        `grant update on setup_lock to ${role};`,
      ]);
      await execute(owner, advised.join(' '));
      await passesDoctor(environment);
      await whileServing({ ...environment, API_KEYS: '' }, async ({ address, firstKey }) => {
        const { status } = await createPet({ address, key: firstKey }, '{"name":"Rex","categoryId":7}');
        expect(status).to.equal(201);
      });
    }));

  it('needs no right to create keys if there is a key', () =>
    withNewRole(async ({ role, owner, environment }) => {
      const database = openPostgres(owner, { poolSize: 1, statementTimeoutMs: 3_000 });
      await success(apiKeyStore(database).issue('shop'));
      await database.close();
      expect(await advisedGrants(environment)).to.deep.equal(grantsToServe(role));
    }));

  it('learns the rights on a schema of its own, and grants that name the schema', () =>
    withNewRole(
      async ({ role, owner, environment }) => {
        const withKeys = { ...environment, API_KEYS: 'a-key' };
        const advised = await advisedGrants(withKeys);
        expect(advised).to.deep.equal([
          `grant usage on schema zoo to ${role};`,
          ...grantsToServe(role).map((grant) => grant.replace(/ on (sequence )?/, ' on $1zoo.')),
        ]);
        await execute(owner, advised.join(' '));
        await passesDoctor(withKeys);
      },
      { schema: 'zoo' },
    ));

  it('is told by serve which right it lacks, and that doctor lists them', () =>
    withNewRole(async ({ role, owner, environment }) => {
      for (const grant of [undefined, `grant create on schema public to ${role}`]) {
        if (grant !== undefined) await execute(owner, grant);
        const { code, stderr } = await runInProcess(['serve'], environment);
        expect(code).to.equal(1);
        expect(stderr)
          .to.include('permission denied for table animal_store_migrations; ')
          .and.include('`animal-store doctor` prints');
      }
    }));
});
