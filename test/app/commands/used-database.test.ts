import { expect } from 'chai';
import { chmodSync, chownSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { migrate } from '../../../adapters/knex';
import { success } from '../../contracts/outcome';
import { newCatalogue } from '../../support/databases/catalogue';
import { columnOf } from '../../support/databases/sqlite-files';
import { sqliteFile, withEmptyDatabase } from '../../support/databases/databases';
import { eventually } from '../../support/eventually';
import {
  killPrograms,
  main,
  needsReadableBuild,
  runCommand,
  runUnprivileged,
  startProgram,
} from '../../support/processes/command';
import { runInProcess } from '../../support/processes/run-in-process';
import { makeFolder, newDatabaseFile, removeFolders } from '../../support/temporary-folder';

const rows = async (): Promise<string> => {
  const file = join(await makeFolder(), 'rows.csv');
  writeFileSync(file, 'name,categoryId\nRex,1\n');
  return file;
};

describe('The database of a command', () => {
  afterEach(removeFolders);

  it('is named on standard error by each command that uses it', async () => {
    const { file, environment } = await newCatalogue();
    const backup = join(await makeFolder(), 'backup');
    for (const command of [
      ['migrate'],
      ['keys', 'list'],
      ['keys', 'create', '--name=x'],
      ['export', '--format=csv'],
      ['backup', backup],
      ['restore', '--replace', backup],
      ['import', await rows()],
    ]) {
      const { code, stderr } = await runInProcess(command, environment);
      expect(code, stderr).to.equal(0);
      expect(stderr, command.join(' ')).to.match(new RegExp(`^database: sqlite:${file}$`, 'm'));
    }
  });

  it('belongs to the owner of its folder when root creates it, so that the service can open it', async function () {
    if (process.getuid?.() !== 0) this.skip();
    await needsReadableBuild(this);
    const { environment: source } = await newCatalogue();
    const backup = join(await makeFolder(), 'backup');
    expect((await runInProcess(['backup', backup], source)).code).to.equal(0);
    for (const command of [['migrate'], ['restore', backup]]) {
      const folder = await makeFolder();
      chownSync(folder, 65534, 65534);
      const file = join(folder, 'animals.sqlite3');
      const environment = { DATABASE_URL: `sqlite:${file}` };
      expect((await runInProcess(command, environment)).code).to.equal(0);
      const { uid, gid, mode } = statSync(file);
      expect({ uid, gid, mode: mode & 0o777 }).to.deep.equal({ uid: 65534, gid: 65534, mode: 0o600 });
      const { code, stderr } = await runUnprivileged(
        [process.execPath, main, 'keys', 'create', '--name=x'],
        environment,
      );
      expect(code, stderr).to.equal(0);
    }
  });

  it('is left as it is by a user who may only read it', async function () {
    if (process.getuid?.() !== 0) this.skip();
    await needsReadableBuild(this);
    const { file, environment } = await newCatalogue();
    const [folder, group, service, reader] = [dirname(file), 65_532, 65_533, 65_534];
    for (const [path, mode] of [
      [folder, 0o2770],
      [file, 0o640],
    ] as const) {
      chownSync(path, service, group);
      chmodSync(path, mode);
    }
    const startAs = (uid: number, ...words: ReadonlyArray<string>) => {
      const user = [`--reuid=${uid}`, `--regid=${uid}`, `--groups=${group}`];
      return startProgram('setpriv', [...user, process.execPath, main, ...words], {
        environment: { ...environment, PORT: '0' },
      });
    };
    const target = await makeFolder();
    chmodSync(target, 0o777);
    const readingCommands = [
      ['keys', 'list'],
      ['backup', join(target, 'backup')],
    ];
    for (const words of [...readingCommands, ['doctor']]) {
      const { stdout, stderr } = await startAs(reader, ...words).ended;
      expect(stdout + stderr).to.match(/may only read|read and write|belongs to/);
      expect(readdirSync(folder), words.join(' ')).to.deep.equal(['animals.sqlite3']);
    }
    // While a service has the file open, its write-ahead log exists, and reading writes nothing to it.
    const open = startAs(service, 'serve');
    await eventually('the service is open', 20_000, () => open.stderr().includes('serves http'));
    for (const words of readingCommands)
      expect(await startAs(reader, ...words).ended, words.join(' ')).to.include({ code: 0 });
    open.signal('SIGKILL');
    await open.ended;
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).uid, name).to.equal(service);
    expect(await startAs(service, 'keys', 'create', '--name=x').ended).to.include({ code: 0 });
  });

  it('can be read on a file system that is mounted read-only, and names it to a command that writes', async function () {
    if (process.getuid?.() !== 0) this.skip();
    const { file, environment } = await newCatalogue([{ name: 'Rex', categoryId: 1n }]);
    const target = await makeFolder();
    const onReadOnlyMount = (...words: ReadonlyArray<string>) => {
      const script = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"';
      const command = ['-m', 'sh', '-c', script, 'sh', dirname(file), process.execPath, main, ...words];
      return startProgram('unshare', command, { environment: { ...environment, PORT: '0' } }).ended;
    };
    for (const words of [
      ['keys', 'list'],
      ['backup', join(target, 'backup')],
      ['copy', `sqlite:${join(target, 'copy')}`],
    ]) {
      const { code, stderr } = await onReadOnlyMount(...words);
      expect(code, stderr).to.equal(0);
    }
    for (const name of ['backup', 'copy'])
      expect(await columnOf(join(target, name), 'pets', 'name'), name).to.deep.equal(['Rex']);
    for (const words of [['serve'], ['doctor']]) {
      const { code, stdout, stderr } = await onReadOnlyMount(...words);
      expect(code, words.join(' ')).to.equal(1);
      expect(stdout + stderr).to.include('is on a file system that is read-only here; mount it so that');
      expect(stdout.match(/^FAIL/gm)?.length ?? 1, stdout).to.equal(1);
    }
    expect(readdirSync(dirname(file))).to.deep.equal(['animals.sqlite3']);
  });

  it('comes from the environment file, whatever the environment says', async () => {
    const { file } = await newCatalogue();
    const other = await newDatabaseFile();
    const environmentFile = join(await makeFolder(), 'environment');
    writeFileSync(
      environmentFile,
      `# The service's own.\nNODE_ENV=production\nDATABASE_URL="sqlite:${file}"\n`,
    );
    const { code, stderr } = await runInProcess(['--environment-file', environmentFile, 'keys', 'list'], {
      DATABASE_URL: `sqlite:${other}`,
    });
    expect({ code, stderr }).to.deep.equal({
      code: 0,
      stderr: `warning: DATABASE_URL of the environment is ignored, because ${environmentFile} sets the address\ndatabase: sqlite:${file}\nthere are no keys\n`,
    });
    const secret = join(await makeFolder(), 'address');
    writeFileSync(secret, `sqlite:${other}`);
    expect(
      await runInProcess(['--environment-file', environmentFile, 'keys', 'list'], {
        DATABASE_URL_FILE: secret,
      }),
    ).to.deep.include({
      code: 0,
      stderr: `warning: DATABASE_URL_FILE of the environment is ignored, because ${environmentFile} sets the address\ndatabase: sqlite:${file}\nthere are no keys\n`,
    });
    const doctor = await runInProcess(['--environment-file', environmentFile, 'doctor'], { PORT: '0' });
    expect(doctor.stdout).to.include('NODE_ENV=production').and.include(file);
    expect(existsSync(other)).to.equal(false);
  });

  it('comes from the environment before a file that .env names', async () => {
    const folder = await makeFolder();
    writeFileSync(join(folder, '.env'), 'DATABASE_URL_FILE=other');
    writeFileSync(join(folder, 'other'), `sqlite:${join(folder, 'other.sqlite3')}`);
    const environment = { DATABASE_URL: `sqlite:${join(folder, 'wanted.sqlite3')}` };
    expect((await runCommand(['keys', 'list'], environment, folder)).stderr).to.include(
      `there is no animal store in ${environment.DATABASE_URL};`,
    );
  });

  it('is not opened if the environment file cannot be read: exit code 2', async () => {
    const folder = await makeFolder();
    for (const file of [folder, join(folder, 'none')]) {
      const { code, stderr } = await runInProcess(['--environment-file', file, 'keys', 'list']);
      expect(code).to.equal(2);
      expect(stderr).to.match(
        /^error: --environment-file can't be used: .*directory; see `animal-store --help`\n$/,
      );
    }
  });

  it('is not opened if a line of the environment file is ambiguous: exit code 2', async () => {
    const file = join(await makeFolder(), 'environment');
    writeFileSync(file, 'PORT=1\nDATABASE_URL=memory: # no file\n');
    const { code, stderr } = await runInProcess(['--environment-file', file, 'keys', 'list']);
    expect(code).to.equal(2);
    expect(stderr).to.include(
      'line 2 is not NAME=value as systemd reads it; remove `export` and comments after a value, put a value with double quotes, backslashes or # in single quotes, and a value with single quotes in double quotes',
    );
  });

  it('comes from the environment file in a new process too, with a warning of what Node does not read there', async () => {
    const file = join(await makeFolder(), 'environment');
    const forNode = ['NODE_OPTIONS=--no-such-option', 'NODE_EXTRA_CA_CERTS=/none', 'NODE_USE_SYSTEM_CA=1'];
    writeFileSync(file, ['DATABASE_URL=memory:', ...forNode, ''].join('\n'));
    const { code, stdout, stderr } = await runCommand(['--environment-file', file, 'doctor'], { PORT: '0' });
    expect(code, stdout).to.equal(0);
    expect(stdout).to.include('DATABASE_URL=memory:');
    for (const [name] of forNode.map((line) => line.split('=')))
      expect(stderr).to.include(
        `warning: ${name} in ${file} has no effect, because Node reads it when it starts; `,
      );
  });
});

describe('A database that another process migrates', () => {
  afterEach(killPrograms);

  it('does not keep a command from its end at the first Ctrl-C', () =>
    withEmptyDatabase(sqliteFile, async (database, open, databaseUrl) => {
      await success(migrate(database));
      const { withStoreLock, writePool } = open();
      await writePool('animal_store_migrations').update({ name: '000_earlier_migration' });
      const source = await newCatalogue();
      await withStoreLock(async () => {
        for (const [words, DATABASE_URL, result] of [
          [['import', await rows()], databaseUrl, 'nothing was stored'],
          [['copy', databaseUrl], `sqlite:${source.file}`, 'nothing was copied'],
        ] as const) {
          const running = startProgram(process.execPath, [main, ...words], { environment: { DATABASE_URL } });
          await eventually('it waits', 60_000, () => running.stderr().includes('waiting to migrate'));
          running.signal('SIGINT');
          const { code, stderr } = await running.ended;
          expect(stderr)
            .to.match(/\ninterrupted by SIGINT: /)
            .and.include(result);
          expect(code).to.equal(130);
        }
      });
    }));
});
