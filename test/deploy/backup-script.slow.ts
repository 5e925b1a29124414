import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { main, type Outcome, projectFolder, runCommand, startProgram } from '../support/processes/command';
import { needsPrograms } from '../support/processes/system';
import { makeFolder, removeFolders } from '../support/temporary-folder';

const scripts = join(projectFolder, 'deploy/systemd');
const script = join(scripts, 'animal-store-backup');
const longAgo = new Date('2020-01-01');

describe('The backup script', () => {
  let folder = '';
  let database = '';
  let backups = '';
  let metrics = '';
  let settings: Record<string, string> = {};
  let template = '';

  before(async () => {
    const folder = await makeFolder();
    template = join(folder, 'animals.sqlite3');
    const animals = join(folder, 'animals.csv');
    await writeFile(animals, 'name,categoryId\nRex,7\n');
    for (const words of [['migrate'], ['import', animals]])
      expect(await runCommand(words, { DATABASE_URL: `sqlite:${template}` })).to.include({ code: 0 });
  });

  beforeEach(async () => {
    folder = await makeFolder();
    database = join(folder, 'animals.sqlite3');
    [backups, metrics] = [join(folder, 'backups'), join(folder, 'metrics')];
    await mkdir(backups);
    await mkdir(metrics);
    const program = join(folder, 'animal-store');
    await writeFile(program, `#!/bin/sh\nexec ${process.execPath} ${main} "$@"\n`, { mode: 0o755 });
    settings = {
      DATABASE_URL: `sqlite:${database}`,
      BACKUP_PROGRAM: program,
      BACKUP_FOLDER: backups,
      BACKUP_METRICS_FOLDER: metrics,
    };
    await copyFile(template, database);
  });

  after(removeFolders);

  const run = (more: Record<string, string> = {}): Promise<Outcome> =>
    startProgram(script, [], { environment: { ...settings, ...more } }).ended;

  const expectFailure = async (outcome: Outcome): Promise<void> => {
    expect(outcome.code, outcome.stdout).to.be.above(0);
    expect(outcome.stderr).to.not.equal('');
    expect(await readdir(metrics)).to.deep.equal([]);
  };

  it('makes a dated backup that can be restored, copies it, deletes old ones and writes the time', async () => {
    const old = join(backups, 'animals-2020-01-01T000000Z.backup');
    const kept = ['animals-kept.backup', 'animals-2020-01-01-keep-forever.backup', 'notes'];
    const others = kept.map((name) => join(backups, name));
    for (const file of [old, ...others]) {
      await writeFile(file, '');
      await utimes(file, longAgo, longAgo);
    }
    const copies = await makeFolder();
    const outcome = await run({ BACKUP_COPY_COMMAND: `cp "$1" ${copies}` });
    expect(outcome.code, outcome.stderr).to.equal(0);
    const [copy = '', ...more] = await readdir(copies);
    expect(more).to.deep.equal([]);
    expect(copy, 'name of the copy').to.match(/^animals-[0-9-]{10}T[0-9]{6}Z\.backup$/);
    expect(await readdir(backups)).to.have.members([copy, ...kept]);
    const seconds = Number(
      /^animal_store_last_backup_timestamp_seconds ([0-9]+)\n$/.exec(
        await readFile(join(metrics, 'animal-store.prom'), 'utf8'),
      )?.[1],
    );
    expect(Date.now() / 1000 - seconds, 'seconds since the last backup').to.be.within(-1, 600);
    const restored = { DATABASE_URL: `sqlite:${folder}/restored.sqlite3` };
    expect(await runCommand(['restore', join(copies, copy)], restored)).to.include({ code: 0 });
    const { stdout } = await runCommand(['export', '--format', 'csv', '-'], restored);
    expect(stdout).to.include('Rex');
  });

  it('keeps backups for as many days as it is told', async () => {
    const file = join(backups, 'animals-2020-01-01T000000Z.backup');
    await writeFile(file, '');
    const day = 86_400_000;
    const made = new Date(Date.now() - 2 * day);
    await utimes(file, made, made);
    expect((await run({ BACKUP_DAYS: '3' })).code).to.equal(0);
    expect(existsSync(file)).to.equal(true);
    expect((await run({ BACKUP_DAYS: '1' })).code).to.equal(0);
    expect(existsSync(file)).to.equal(false);
  });

  it('fails, keeps old backups and writes no time if the backup fails', async () => {
    const old = join(backups, 'animals-2020-01-01T000000Z.backup');
    await writeFile(old, '');
    await utimes(old, longAgo, longAgo);
    await expectFailure(await run({ DATABASE_URL: `sqlite:${folder}/missing.sqlite3` }));
    await expectFailure(await run({ BACKUP_FOLDER: join(folder, 'missing') }));
    await expectFailure(await run({ BACKUP_FOLDER: 'backups' }));
    await expectFailure(await run({ DATABASE_URL: 'postgres://127.0.0.1:1/animals' }));
    const uncopied = await run({ BACKUP_COPY_COMMAND: 'false; true' });
    await expectFailure(uncopied);
    expect(uncopied.stderr).to.match(/the backup is in \S+\.backup, but BACKUP_COPY_COMMAND failed\n$/);
    expect(existsSync(old)).to.equal(true);
  });

  for (const days of ['0', '00', '08', '010', '-1', '1.5', 'two', '0x10', '1 ', '99999999999999999999']) {
    it(`does nothing if BACKUP_DAYS is "${days}"`, async () => {
      const old = join(backups, 'animals-2020-01-01T000000Z.backup');
      await writeFile(old, '');
      await utimes(old, longAgo, longAgo);
      const outcome = await run({ BACKUP_DAYS: days });
      await expectFailure(outcome);
      expect(outcome.stderr).to.equal(
        `BACKUP_DAYS must be a number of days from 1 to 9999, without leading zeros, not "${days}"\n`,
      );
      expect(await readdir(backups)).to.deep.equal(['animals-2020-01-01T000000Z.backup']);
    });
  }

  it('ends a backup that hangs after six hours, and says so', async () => {
    const hanging = join(folder, 'hanging');
    await mkdir(hanging);
    await writeFile(join(hanging, 'program'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
    const timeout = '#!/bin/sh\n[ "$*" = "-k 60 6h sh $5" ] && exec /usr/bin/timeout 1 sh "$5"\n';
    await writeFile(join(hanging, 'timeout'), timeout, { mode: 0o755 });
    const outcome = await run({
      BACKUP_PROGRAM: join(hanging, 'program'),
      PATH: `${hanging}:${process.env['PATH'] ?? ''}`,
    });
    await expectFailure(outcome);
    expect(outcome.stderr).to.include('the backup was ended, because it took more than 6 hours');
  });

  it('deletes old backups in a folder that is a symbolic link, but never the new backup', async () => {
    const old = join(backups, 'animals-2020-01-01T000000Z.backup');
    await writeFile(old, '');
    await utimes(old, longAgo, longAgo);
    const link = join(folder, 'link');
    await symlink(backups, link);
    const outcome = await run({ BACKUP_FOLDER: link, BACKUP_COPY_COMMAND: 'touch -d 2020-01-01 "$1"' });
    expect(outcome.code, outcome.stderr).to.equal(0);
    const names = await readdir(backups);
    expect(names).to.have.length(1);
    expect(outcome.stdout).to.equal(`backed up to ${link}/${names.join('')}\n`);
  });

  it('writes the time through no link that another user has made in the folder of the metrics', async () => {
    const secret = join(folder, 'secret');
    await writeFile(secret, 'secret', { mode: 0o600 });
    const file = join(metrics, 'animal-store.prom');
    for (const target of [secret, folder]) {
      await rm(file, { force: true });
      await symlink(target, file);
      expect((await run()).code).to.equal(0);
      expect((await lstat(file)).isFile()).to.equal(true);
      expect((await lstat(file)).mode & 0o777).to.equal(0o644);
      expect(await readdir(metrics)).to.deep.equal(['animal-store.prom']);
    }
    expect(await readFile(secret, 'utf8')).to.equal('secret');
    expect((await lstat(secret)).mode & 0o777).to.equal(0o600);
  });

  it('fails, and writes no time, if the disk of the backups is full', async function () {
    const mount = 'mount -t tmpfs -o size=16k full "$BACKUP_FOLDER" && exec "$0"';
    const words = ['--mount', 'sh', '-c', mount, script];
    const outcome = await startProgram('unshare', words, { environment: settings }).ended;
    if (/unshare failed|permission denied/.test(outcome.stderr)) this.skip();
    await expectFailure(outcome);
    expect(outcome.stderr).to.match(/disk|full|space/);
  });
});

describe('The shell scripts', () => {
  needsPrograms('shellcheck');

  it('pass shellcheck', async () => {
    const files = [
      ...['animal-store', 'animal-store-backup'].map((name) => join(scripts, name)),
      join(projectFolder, 'test/deploy/support/bare-machine.sh'),
    ];
    expect(await startProgram('shellcheck', files).ended).to.include({ code: 0, stdout: '' });
  });
});
