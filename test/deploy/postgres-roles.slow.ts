import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPet } from '../support/http/client';
import { execute, inPostgresDatabase } from '../support/postgres/postgres';
import { withOwnPostgres } from '../support/postgres/postgres-server';
import { projectFolder, runCommand, startProgram } from '../support/processes/command';
import { needsPrograms } from '../support/processes/system';
import { startService } from '../support/service/service-process';
import { makeFolder, removeFolders } from '../support/temporary-folder';

const script = join(projectFolder, 'deploy/postgres/grants.sql');

const key = 'a-key-of-this-test-that-is-long-enough';

/** Returns an address with another role, whose password is its name, and with parameters. */
const asRole = (url: string, role: string, parameters = ''): string => {
  const address = new URL(url);
  address.username = address.password = role;
  address.search = parameters;
  return address.href;
};

/** Faults that doctor finds. The server of the tests is fast, because it loses commits in a crash. */
const fault = /^FAIL +\b(?!server )/m;

const diagnose = async (url: string): Promise<string> => {
  const settings = { DATABASE_URL: url, API_KEYS: key, NODE_ENV: 'production', PORT: '0' };
  return (await runCommand(['doctor'], settings)).stdout;
};

describe('A schema of its own, with one role for its tables and another for the service', () => {
  needsPrograms('psql');

  for (const schema of ['zoo', 'Zoo of cats']) {
    it(`serves after the commands that doctor names: ${schema}`, () =>
      inPostgresDatabase(async (url) => {
        const name = randomBytes(8).toString('hex');
        const [owner, role] = [`owner_${name}`, `role_${name}`];
        const escaped = `"${schema}"`.replaceAll(' ', '\\ ');
        const parameters = `options=${encodeURIComponent(`-c search_path=${escaped}`)}`;
        const [ownerUrl, serviceUrl] = [asRole(url, owner, parameters), asRole(url, role, parameters)];
        await execute(
          url,
          ...[owner, role].map((each) => `create role ${each} login password '${each}'`),
          `create schema "${schema}" authorization ${owner}`,
        );
        try {
          expect(await runCommand(['migrate'], { DATABASE_URL: ownerUrl })).to.include({ code: 0 });
          const advice = 'with `--set=role=ROLE --set=schema=SCHEMA`';
          expect(await diagnose(serviceUrl))
            .to.match(fault)
            .and.include(advice);
          const granting = await startProgram('psql', [
            ...[asRole(url, owner), `--file=${script}`],
            ...[`--set=role=${role}`, `--set=schema=${schema}`],
          ]).ended;
          expect(granting.code, granting.stderr).to.equal(0);
          expect(await diagnose(serviceUrl))
            .to.include(`schema ${schema}`)
            .and.not.match(fault);
          const service = await startService({ DATABASE_URL: serviceUrl, API_KEYS: key });
          expect(await createPet({ ...service, key }, '{"name":"Rex","categoryId":7}')).to.include({
            status: 201,
          });
          await service.stop();
          // Without a variable, the script takes the schema of its session.
          const again = await startProgram('psql', [ownerUrl, `--file=${script}`, `--set=role=${role}`])
            .ended;
          expect(again.code, again.stderr).to.equal(0);
        } finally {
          for (const each of [owner, role]) await execute(url, `drop owned by ${each}`, `drop role ${each}`);
        }
      }));
  }
});

describe('The script that creates the roles of a new server', () => {
  needsPrograms('psql');
  afterEach(removeFolders);

  it('lets the owner migrate, and the other role do what the service does', () =>
    withOwnPostgres(async ({ url }) => {
      const secrets = await makeFolder();
      for (const name of ['owner', 'service'])
        writeFileSync(join(secrets, `${name}-password`), `a '${name}' "word"`);
      const { hostname, port, username, password } = new URL(url);
      const environment = { PGHOST: hostname, PGPORT: port, POSTGRES_USER: username, PGPASSWORD: password };
      const created = await startProgram('sh', [join(projectFolder, 'deploy/postgres/create-roles.sh')], {
        environment: { ...environment, SECRETS: secrets },
      }).ended;
      expect(created.code, created.stderr).to.equal(0);
      const addressOf = (role: string, name: string): string =>
        `postgres://${role}:${encodeURIComponent(`a '${name}' "word"`)}@${hostname}:${port}/animals`;
      const owner = { DATABASE_URL: addressOf('animals_owner', 'owner') };
      const service = { DATABASE_URL: addressOf('animals', 'service') };
      expect(await runCommand(['migrate'], owner)).to.include({ code: 0 });
      expect(await diagnose(service.DATABASE_URL)).to.not.match(fault);
    }));
});
