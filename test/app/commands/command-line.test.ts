import { expect } from 'chai';
import * as t from 'io-ts';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite } from '../../../adapters/knex';
import { decodeOrThrow } from '../../../core';
import {
  builtVersion,
  type Environment,
  killPrograms,
  main,
  projectFolder,
  runCommand,
  startProgram,
  withoutDatabaseLine,
} from '../../support/processes/command';
import { settingNames } from '../../../app/settings/settings';
import { copyCheckout } from '../../support/packages';
import { newCatalogue } from '../../support/databases/catalogue';
import { migrationNames } from '../../support/databases/migrations';
import { runInProcess } from '../../support/processes/run-in-process';
import { makeFolder, newDatabaseFile, removeFolders } from '../../support/temporary-folder';

describe('The command line', () => {
  afterEach(killPrograms);
  afterEach(removeFolders);

  it('lists the settings and their defaults in the help of serve, and names the setting of an option', async () => {
    const { stdout } = await runInProcess(['serve', '--help']);
    const page = readFileSync(join(projectFolder, 'docs/configuration.md'), 'utf8');
    const documented = [...page.matchAll(/^\| `([A-Z_]+)` +\| `?([^ `]+)/gm)].map(([, ...row]) => row);
    expect(documented.map(([name]) => name)).to.have.members(settingNames);
    for (const [name = '', value = ''] of documented)
      expect(stdout).to.match(
        new RegExp(value === 'none' ? `  ${name} +.*[^)]$` : `  ${name} .*\\s+.*\\(${value}\\)$`, 'm'),
      );
    for (const option of ['--port', '-p'])
      expect((await runInProcess(['serve', option, '5313'])).stderr).to.include(
        'PORT is a setting: set the environment variable PORT',
      );
    expect((await runInProcess(['keys', 'list', '--all'])).stderr).to.include(
      'see `animal-store keys list --help`',
    );
  });

  it('reads .env of the current folder outside production, and says so', async () => {
    const folder = await makeFolder();
    writeFileSync(join(folder, '.env'), 'PORT=here # comment\nexport LOG_LEVEL=loud');
    const errors = async (environment: Environment) =>
      (await runCommand(['serve'], environment, folder)).stderr.trimEnd().split('\n');
    expect(await errors({ LOG_LEVEL: 'info' })).to.deep.equal([
      'settings: .env and the environment',
      'error: PORT must be a whole number from 0 to 65535',
    ]);
    expect((await errors({ PORT: '', LOG_LEVEL: 'info' })).join()).to.include('PORT must be');
    expect((await errors({ NODE_ENV: 'production' })).join()).to.include('there is no animal store');
  });

  it('names itself in hints as npm calls it', async () => {
    const environment = { DATABASE_URL: `sqlite:${await newDatabaseFile()}`, npm_command: 'exec' };
    expect((await runInProcess(['keys', 'list'], environment)).stderr).to.include(
      '`npx animal-store migrate`',
    );
  });

  it('says in a checkout that it is not built yet', async () => {
    const folder = await copyCheckout();
    const command = join(folder, 'deploy', 'packages', 'command.mjs');
    expect(await startProgram(process.execPath, [command, 'serve']).ended).to.deep.include({
      code: 1,
      stderr: 'error: not built yet; run `npm run build`\n',
    });
  });

  it('names the version that it needs on an older Node, and loads nothing', async () => {
    const { engines } = decodeOrThrow(
      t.type({ engines: t.type({ node: t.string }) }),
      JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')),
    );
    const needed = engines.node.replace('>=', '').replace(/\.0$/, '');
    const hook = join(await makeFolder(), 'hook.cjs');
    for (const version of ['18.20.8', '20.18.3']) {
      writeFileSync(
        hook,
        `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });
         process.on('exit', () => {
           const loaded = Object.keys(require.cache).filter((file) => file.includes('dist'));
           if (loaded.length > 1) console.error(loaded);
         });`,
      );
      const { code, stderr } = await startProgram(process.execPath, ['--require', hook, main, 'serve']).ended;
      expect({ code, stderr }).to.deep.equal({
        code: 1,
        stderr: `error: Node ${version} is too old; install Node ${needed} or later, best the current LTS\n`,
      });
    }
  });

  it('prints the version of the package with the digest of its sources, which tells builds apart', async () => {
    const outcome = { code: 0, signal: null, stdout: `${builtVersion()}\n`, stderr: '' };
    expect(await runCommand(['--version'])).to.deep.equal(outcome);
    expect(await runInProcess(['--version'])).to.deep.equal(outcome);
  });

  it('prints help in lines of at most 80 columns', async () => {
    const helpOf = async (words: ReadonlyArray<string>): Promise<void> => {
      const { stdout } = await runInProcess([...words, '--help']);
      for (const line of stdout.split('\n')) expect(line.length, line).to.be.at.most(80);
      const commands = Array.from(stdout.matchAll(/^ {2}(\w+) (?=.* {2})/gm), ([, name = '']) => name);
      for (const name of words.length < 2 && !stdout.includes('Arguments:') ? commands : [])
        if (name === name.toLowerCase()) await helpOf([...words, name]);
    };
    await helpOf([]);
  });

  it('prints help on standard output', async () => {
    for (const command of [[], ['serve'], ['keys', 'create']]) {
      const { code, stdout, stderr } = await runInProcess([...command, '--help'], { PORT: 'no port' });
      expect(stdout).to.match(new RegExp(`^Usage: ${['animal-store', ...command].join(' ')}\\b`));
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    }
  });

  it('does not say in the help of migrate that serve creates tables in production', async () => {
    const { stdout } = await runInProcess(['migrate', '--help'], { NODE_ENV: 'production' });
    expect(stdout.replaceAll(/\s+/g, ' '))
      .to.include('`serve` updates them too')
      .and.include('outside production');
  });

  it('migrates once, and prints what it ran', async () => {
    const environment = { DATABASE_URL: `sqlite:${await newDatabaseFile()}` };
    const first = await runInProcess(['migrate', '--json'], environment);
    const ran = migrationNames();
    expect(ran).to.include('001_create_tables');
    expect(JSON.parse(first.stdout)).to.deep.equal({ ran });
    const stderr = `database: ${environment.DATABASE_URL}\n`;
    expect(first).to.include({ code: 0, stderr });

    const [second, inWords] = await Promise.all([
      runInProcess(['migrate', '--json'], environment),
      runInProcess(['migrate'], environment),
    ]);
    expect(second).to.include({ code: 0, stdout: '{"ran":[]}\n', stderr });
    expect(inWords).to.include({ code: 0, stdout: 'up to date\n', stderr });

    const other = await runInProcess(['migrate'], { DATABASE_URL: `sqlite:${await newDatabaseFile()}` });
    expect(other.stdout).to.equal(`migrated: ${ran.join(', ')}\n`);
  });

  it('keeps its database in the current folder by default', async () => {
    const folder = await makeFolder();
    expect(await runCommand(['migrate'], { DATABASE_URL: '' }, folder)).to.include({ code: 0 });
    expect(readdirSync(folder)).to.deep.equal(['animal-store.sqlite3']);
  });

  it('fails for a store in memory', async () => {
    const { code, stdout, stderr } = await runInProcess(['keys', 'list'], { DATABASE_URL: 'memory:' });
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(stderr).to.equal(
      'error: this command needs a database, but DATABASE_URL is `memory:`; set it to sqlite:FILE or postgres://...\n',
    );
  });

  const lost = (reason: string): string => `error: standard output was not written: .*${reason}.*\n`;

  it('reports in one line that a new key was not written, on a full disk and without a reader', async () => {
    const { environment } = await newCatalogue();
    const check = async (output: string, reason: string, exitCode: number): Promise<void> => {
      const script = `{ sleep 0.5; "$0" "$1" keys create --name x; echo "code $?" >&2; } ${output}`;
      const ended = startProgram('sh', ['-c', script, process.execPath, main], { environment }).ended;
      const { stderr } = withoutDatabaseLine(await ended);
      expect(stderr).to.match(
        new RegExp(`^This is the only time the key is shown: .*\n${lost(reason)}code ${exitCode}\n$`),
      );
    };
    await Promise.all([check('> /dev/full', 'ENOSPC', 1), check('| true', 'EPIPE', 141)]);
  });

  it('ends without a message if the reader of its help has read enough', async () => {
    const script = `{ sleep 0.5; "$0" "$1" --help; echo "code $?" >&2; } | true`;
    const { stderr } = await startProgram('sh', ['-c', script, process.execPath, main]).ended;
    expect(stderr).to.equal('code 141\n');
  });

  it('continues when standard error cannot be written', async () => {
    const { environment } = await newCatalogue();
    const script = `"$0" "$1" keys create --name x 2> /dev/full`;
    const { code } = await startProgram('sh', ['-c', script, process.execPath, main], { environment }).ended;
    expect(code).to.equal(0);
  });

  it('ends at a signal also as process 1', async function () {
    const folder = await makeFolder();
    const other = openSqlite(join(folder, 'animals'));
    const transaction = await other.writePool.transaction();
    await transaction.raw('create table held (id integer)');
    const hook = join(folder, 'signal-itself.cjs');
    writeFileSync(hook, "setTimeout(() => process.kill(process.pid, 'SIGTERM'), 1_000)");
    const asFirst = ['--pid', '--fork', '--kill-child', process.execPath, '--require', hook, main, 'migrate'];
    const environment = { DATABASE_URL: `sqlite:${folder}/animals` };
    const { code, stderr } = await startProgram('unshare', asFirst, { environment }).ended;
    await transaction.rollback();
    await other.close();
    if (stderr.startsWith('unshare:')) this.skip();
    expect({ code, stderr }).to.deep.equal({ code: 143, stderr: '' });
  });

  it('accepts a database with characters of an option, of a shell and of SQL', async () => {
    const file = join(await makeFolder(), "--it's a; drop table.sqlite3");
    expect(await runInProcess(['migrate'], { DATABASE_URL: `sqlite:${file}` })).to.include({ code: 0 });
    expect(existsSync(file)).to.equal(true);
  });
});
