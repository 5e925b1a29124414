import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite } from '../../../adapters/knex';
import { progressText } from '../../../app/terminal/progress-bar';
import { newCatalogue } from '../../support/databases/catalogue';
import { eventually } from '../../support/eventually';
import { type Environment, killPrograms, main } from '../../support/processes/command';
import { needsPrograms } from '../../support/processes/system';
import { startAtTerminal } from '../../support/processes/terminal';
import { makeFolder, newDatabaseFile, removeFolders } from '../../support/temporary-folder';
import { newLargeCatalogue } from './support';

describe('The progress of a command', () => {
  it('has percent, count, rate and the time that is left, in a line of a terminal', () => {
    const text = progressText({ count: 9_876_543, noun: 'row', share: 0.25 }, 100);
    expect(text).to.equal(`${'█'.repeat(6)}${'░'.repeat(18)}  25 %  9,876,543 rows  98,765/s  300 s left`);
    expect(text.length).to.be.at.most(80);
  });

  it('has the count, the rate and the time so far if the end is unknown', () => {
    expect(progressText({ count: 1, noun: 'animal' }, 2)).to.equal('1 animal  1/s  2 s');
    expect(progressText({ stage: 'checking' }, 2)).to.equal('checking  2 s');
  });

  describe('at a terminal', () => {
    needsPrograms('script', 'strace');
    afterEach(killPrograms);
    afterEach(removeFolders);

    const start = (command: string, environment: Environment) =>
      startAtTerminal(`exec ${command}`, { environment: { NO_COLOR: '1', ...environment } });

    const store = `${process.execPath} ${main}`;

    it('is a bar, which gives way to the messages and to the result', async () => {
      const folder = await makeFolder();
      const file = join(folder, 'animals.csv');
      writeFileSync(file, `name,categoryId\nRex,none\n${'Rex,1\n'.repeat(100_000)}`);
      const { environment } = await newCatalogue();
      const { code, stdout } = await start(`${store} import --skip-invalid ${file}`, environment).ended;
      expect(code).to.equal(0);
      expect(stdout).to.match(/[█░]{24} {2}\d+ % {2}[\d,]+ rows {2}[\d,]+\/s {2}\d+ s left/);
      expect(stdout).to.match(/line 2: categoryId must be .*\r\n/);
      expect(stdout.trimEnd()).to.match(/(?:^|[\r\nK])100,000 animals stored with new ids [^\r\n]*$/);
      // Line wrapping stays on, because a command that is suspended or killed could not turn it on again.
      expect(stdout).to.not.include('\x1b[?7l');
    });

    for (const environment of [{ TERM: 'dumb' }, { TERM: '' }, { CI: 'true' }])
      it(`is not shown, and no other escape sequence: ${JSON.stringify(environment)}`, async () => {
        const file = await newDatabaseFile();
        const { writePool, close } = openSqlite(file);
        const transaction = await writePool.transaction();
        await transaction.raw('create table other (id integer)');
        const settings = { DATABASE_URL: `sqlite:${file}`, PORT: '0', NO_COLOR: '', ...environment };
        const { stdout, ended } = start(`${store} serve`, settings);
        setTimeout(() => void transaction.rollback(), 1_500);
        await eventually('the banner', 20_000, () => stdout().includes('Ctrl-C stops'));
        await close();
        expect(stdout()).to.not.include('\x1b').and.not.include('migrating  ');
        await killPrograms();
        await ended;
      });

    // Delays each read and write of a page of a file, as a slow disk does.
    const slow =
      'strace -qq -f --seccomp-bpf -o /dev/null -e trace=pread64,pwrite64 -e inject=pread64,pwrite64:delay_enter=10000';
    const bar = '[█░]{24} {2}(\\d+) %';

    for (const [command, line, result] of [
      [
        'export FOLDER/new.csv',
        `${bar} {2}[\\d,]+ animals {2}[\\d,]+/s {2}\\d+ s left`,
        '20,000 animals exported to FOLDER/new.csv',
      ],
      [
        'export --order desc FOLDER/new.csv',
        `${bar} {2}[\\d,]+ animals`,
        '20,000 animals exported to FOLDER/new.csv',
      ],
      ['copy sqlite:FOLDER/new', `${bar} {2}[\\d,]+ rows`, 'copied and compared'],
      ['backup FOLDER/new', `${bar} {2}copying {2}\\d+ s left`, 'backed up to FOLDER/new and checked'],
    ] as const) {
      it(`has a percentage that grows: ${command}`, async () => {
        const { file, environment } = await newLargeCatalogue(20_000);
        const folder = await makeFolder();
        const target = command.startsWith('restore')
          ? { DATABASE_URL: `sqlite:${join(folder, 'new')}` }
          : environment;
        const words = command.replace('FOLDER', folder).replace('FILE', file);
        const { code, stdout } = await start(`${slow} ${store} ${words}`, target).ended;
        expect(code, stdout).to.equal(0);
        const shares = [...stdout.matchAll(new RegExp(line, 'g'))].map(([, share]) => Number(share));
        expect(shares.filter((share) => share > 0 && share < 100)).to.not.deep.equal([]);
        expect(shares).to.deep.equal(shares.toSorted((one, other) => one - other));
        expect(stdout.trimEnd()).to.match(
          new RegExp(`(?:^|[\\r\\nK])${result.replace('FOLDER', folder)}[^\\r\\n]*(?:\\r\\n  .*)?$`),
        );
      });
    }

    it('has the bytes but no percentage while pg_dump runs, because the end is unknown', async () => {
      const folder = await makeFolder();
      const dump = '#!/bin/sh\nhead -c 5000 /dev/zero >"${3#--file=}"\nexec sleep 30\n';
      writeFileSync(join(folder, 'pg_dump'), dump, { mode: 0o755 });
      const { stdout, signal, ended } = start(`${store} backup ${folder}/new`, {
        DATABASE_URL: 'postgres://127.0.0.1/animals',
        PATH: `${folder}:${process.env['PATH'] ?? ''}`,
      });
      await eventually('a bar', 20_000, () => /copying {2}5,000 bytes {2}[\d,]+\/s {2}\d+ s/.test(stdout()));
      expect(stdout()).to.not.include('%');
      signal('SIGTERM');
      await ended;
    });

    it('has no percentage while tables are migrated, because the end is unknown', async () => {
      const file = await newDatabaseFile();
      const { writePool, close } = openSqlite(file);
      const transaction = await writePool.transaction();
      await transaction.raw('create table other (id integer)');
      try {
        for (const command of ['migrate', 'serve']) {
          const { stdout } = start(`${store} ${command}`, { DATABASE_URL: `sqlite:${file}`, PORT: '0' });
          await eventually('a bar', 20_000, () => /migrating {2}\d+ s/.test(stdout()));
          expect(stdout()).to.not.include('%');
        }
      } finally {
        await transaction.rollback();
        await close();
      }
    });
  });
});
