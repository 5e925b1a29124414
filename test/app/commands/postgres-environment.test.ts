import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../support/processes/command';
import { inPostgresDatabase } from '../../support/postgres/postgres';
import { makeFolder, removeFolders } from '../../support/temporary-folder';

describe('The variables of libpq', () => {
  afterEach(removeFolders);

  it('give the login, also from an environment file, and contradict DATABASE_URL in nothing else', () =>
    inPostgresDatabase(async (address) => {
      const folder = await makeFolder();
      const url = new URL(address);
      const { password } = url;
      url.password = '';
      const file = join(folder, 'environment');
      writeFileSync(file, `DATABASE_URL=${url.href}\nPGPASSWORD=${password}\n`);
      // This pg_dump prints its environment.
      writeFileSync(join(folder, 'pg_dump'), '#!/bin/sh\nenv | grep ^PG >&2; exit 1\n', { mode: 0o755 });
      const misleading = { PGSSLMODE: 'require', PGHOSTADDR: '192.0.2.1', PGOPTIONS: '-c search_path=none' };
      const environment = { ...misleading, PATH: `${folder}:${process.env['PATH'] ?? ''}` };
      const run = (...words: ReadonlyArray<string>) =>
        runCommand(['--environment-file', file, ...words], environment);
      const migrated = await run('migrate');
      expect(migrated.code, migrated.stderr).to.equal(0);
      expect(migrated.stderr).to.include('PGSSLMODE is ignored; use the parameters of DATABASE_URL');
      const { stderr } = await run('backup', join(folder, 'backup'));
      expect(stderr).to.include(`PGPASSWORD=${password}`).and.include('PGSSLMODE=disable');
      expect(stderr).not.to.match(/PGHOSTADDR=|PGOPTIONS=/);
    }));
});
