import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execute } from '../support/postgres/postgres';
import { installedServers, newestProgramFolder } from '../support/postgres/installed-servers';
import { newPostgresServer, type PostgresServer } from '../support/postgres/postgres-server';
import { main, type Outcome, projectFolder, runCommand, startProgram } from '../support/processes/command';
import { needsPrograms } from '../support/processes/system';
import { makeFolder, removeFolders } from '../support/temporary-folder';
import { makeCertificate } from './support/certificate';

const script = join(projectFolder, 'deploy/systemd/animal-store-backup');

describe('The backup script on PostgreSQL', () => {
  needsPrograms('pg_dump', 'pg_restore', 'openssl');
  let folder = '';
  let server: PostgresServer;
  /** Password with characters that must be encoded in an address. */
  const password = 'p:a/s%s';
  let settings: Record<string, string> = {};
  let authority = '';

  before(async function () {
    const programs = newestProgramFolder();
    if (programs === undefined) {
      process.stdout.write(`skipped, since no PostgreSQL server is installed in ${installedServers}\n`);
      this.skip();
    }
    const parent = await makeFolder();
    server = await newPostgresServer(parent, [`unix_socket_directories=${join(parent, 'data')}`], {
      programFolder: programs,
    });
    await server.start();
    const { certificate, privateKey } = await makeCertificate(parent);
    authority = certificate;
    const { uid, gid } = await stat(server.folder);
    for (const file of [certificate, privateKey]) await chown(file, uid, gid);
    await execute(
      server.url,
      `alter system set ssl_cert_file = '${certificate}'`,
      `alter system set ssl_key_file = '${privateKey}'`,
      'alter system set ssl = on',
      'select pg_reload_conf()',
      `create role keeper login superuser password '${password}'`,
    );
    expect(await runCommand(['migrate'], { DATABASE_URL: server.url })).to.include({ code: 0 });
  });

  beforeEach(async () => {
    folder = await makeFolder();
    const program = join(folder, 'animal-store');
    await writeFile(program, `#!/bin/sh\nexec ${process.execPath} ${main} "$@"\n`, { mode: 0o755 });
    await mkdir(join(folder, 'backups'));
    settings = { BACKUP_PROGRAM: program, BACKUP_FOLDER: join(folder, 'backups') };
  });

  after(() => server.stop());
  after(removeFolders);

  const run = (more: Record<string, string>): Promise<Outcome> =>
    startProgram(script, [], { environment: { ...settings, ...more } }).ended;

  const backups = (): ReadonlyArray<string> => readdirSync(join(folder, 'backups'));

  const address = (query = '', host = '127.0.0.1'): string =>
    `postgres://keeper:${encodeURIComponent(password)}@${host}:${server.port}/postgres${query}`;

  const expectBackup = async (more: Record<string, string>): Promise<void> => {
    const { code, stderr } = await run(more);
    expect(code, stderr).to.equal(0);
    expect(backups()).to.have.length(1);
  };

  /** Forms of the address, each of which the service accepts on this server. */
  const forms: Readonly<Record<string, () => string>> = {
    'a host and a port': () => address(),
    'a socket as the host': () => address('', encodeURIComponent(server.folder)),
    'TLS without verification': () => address('?sslmode=no-verify'),
    'TLS with an authority in a file': () =>
      address(`?sslmode=verify-full&sslrootcert=${encodeURIComponent(authority)}`),
    'TLS with an authority that only Node trusts': () => address('?sslmode=require'),
    'the authorities of the system': () => address('?sslmode=verify-full&sslrootcert=system'),
  };

  for (const [name, form] of Object.entries(forms)) {
    it(`backs up what the service uses, by an address with ${name}`, async () => {
      const environment = { DATABASE_URL: form(), NODE_EXTRA_CA_CERTS: authority };
      expect(await runCommand(['keys', 'list'], environment)).to.include({ code: 0 });
      await expectBackup(environment);
    });
  }

  it('verifies the server as the service does', async () => {
    for (const url of [address('?sslmode=require'), address('?sslmode=verify-full')]) {
      expect((await runCommand(['keys', 'list'], { DATABASE_URL: url })).code).to.equal(1);
      expect((await run({ DATABASE_URL: url })).stderr).to.match(/certificate verify failed/);
    }
    expect(backups()).to.deep.equal([]);
  });

  it('shows the password in no list of processes', async () => {
    const list = join(folder, 'processes');
    const programs = join(folder, 'programs');
    await mkdir(programs);
    for (const name of ['pg_dump', 'pg_restore']) {
      const recorder = `#!/bin/sh\ncat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' >>${list}\nexec /usr/bin/${name} "$@"\n`;
      await writeFile(join(programs, name), recorder, { mode: 0o755 });
    }
    await expectBackup({ DATABASE_URL: address(), PATH: `${programs}:${process.env['PATH'] ?? ''}` });
    const processes = await readFile(list, 'utf8');
    expect(processes)
      .to.match(/^pg_dump$|\/pg_dump$/m)
      .and.match(/--format=custom/);
    expect(processes).to.not.include(password).and.not.include(encodeURIComponent(password));
  });

  it('makes a file that only its user can read, and that pg_restore restores', async () => {
    await execute(server.url, "insert into pets (name, category_id) values ('Rex', 7)");
    await expectBackup({ DATABASE_URL: address() });
    const file = join(folder, 'backups', backups().join(''));
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    await execute(server.url, 'create database restored');
    const target = server.url.replace(/postgres$/, 'restored');
    const restored = await startProgram('pg_restore', ['--dbname', target, file]).ended;
    expect(restored, restored.stderr).to.include({ code: 0 });
    const { stdout } = await runCommand(['export', '--format=csv'], { DATABASE_URL: target });
    expect(stdout).to.include('Rex,7');
  });

  it('fails, and leaves no file, for a database without an animal store', async () => {
    const url = address().replace(/postgres$/, 'template1');
    const { code, stderr } = await run({ DATABASE_URL: url });
    expect(code).to.equal(1);
    expect(stderr).to.include('there is no animal store in postgres://keeper@127.0.0.1');
    expect(backups()).to.deep.equal([]);
  });

  it('fails with the message of pg_dump, without the password', async () => {
    const { code, stderr } = await run({ DATABASE_URL: address().replace('keeper', 'stranger') });
    expect(code).to.equal(1);
    expect(stderr)
      .to.match(/error: pg_dump: error: .*stranger.*; \S+ was not written/)
      .and.not.include(password);
    expect(backups()).to.deep.equal([]);
  });
});
