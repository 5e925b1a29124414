import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../support/eventually';
import { call } from '../../support/http/client';
import { execute, inPostgresDatabase, withRole } from '../../support/postgres/postgres';
import { killServices, startService } from '../../support/service/service-process';
import { makeFolder, removeFolders } from '../../support/temporary-folder';

describe('DATABASE_URL_FILE', () => {
  afterEach(killServices);
  afterEach(removeFolders);

  it('is read again when its password was rotated, without a restart', () =>
    inPostgresDatabase(async (url) => {
      const file = join(await makeFolder(), 'url');
      await withRole(url, async (asRole, role) => {
        await execute(url, `grant create on schema public to ${role}`);
        await writeFile(file, asRole.href);
        const { address, stop } = await startService({ DATABASE_URL_FILE: file, API_KEYS: 'key' });
        const isReady = async (): Promise<boolean> => (await call(`${address}/readyz`)).status === 200;
        await eventually('the service is ready', 20_000, isReady);
        asRole.password = 'rotated';
        await execute(
          url,
          `alter role ${role} password 'rotated'`,
          `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`,
        );
        await eventually('the old password is rejected', 20_000, async () =>
          (await call(`${address}/readyz`)).text.includes('the database rejects the login'),
        );
        await writeFile(file, asRole.href);
        await eventually('the service is ready again', 20_000, isReady);
        expect((await stop()).code).to.equal(0);
      });
    }));
});
