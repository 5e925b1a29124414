import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withOwnPostgres } from '../support/postgres/postgres-server';
import { projectFolder, runCommand, startProgram } from '../support/processes/command';
import { needsPrograms } from '../support/processes/system';
import { makeFolder, removeFolders } from '../support/temporary-folder';

const key = 'a-key-of-this-test-that-is-long-enough';

/**
 * Failed checks of doctor, except for `server`. That check fails, because the server of the tests may lose commits in a
 * crash.
 */
const fault = /^FAIL +\b(?!server )/m;

const diagnose = async (url: string): Promise<string> => {
  const settings = { DATABASE_URL: url, API_KEYS: key, NODE_ENV: 'production', PORT: '0' };
  return (await runCommand(['doctor'], settings)).stdout;
};

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
