import { expect } from 'chai';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DiagnosedError, migrationConfig } from '../../../adapters/knex';
import { CommandFailed, reasonOf } from '../../../app/failures';
import {
  main,
  needsReadableBuild,
  type Outcome,
  runUnprivileged,
  startProgram,
} from '../../support/processes/command';
import { sqlStores } from '../../support/databases/databases';
import { integrityOf } from '../../support/databases/sqlite-files';
import { listPets } from '../../support/http/client';
import { listenOn } from '../../support/http/listen';
import { runInProcess } from '../../support/processes/run-in-process';
import { whileServing } from '../../support/service/serve-in-process';
import { makeFolder, newDatabaseFile, removeFolders } from '../../support/temporary-folder';

const text = 'A text of more than a hundred bytes, which is as long as the head of a database is. '.repeat(3);

const expectRefusal = ({ code, stdout, stderr }: Outcome, words: RegExp): void => {
  expect(stderr).to.match(words).and.not.match(/\n./);
  expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
};

describe('A start that fails half-way', () => {
  afterEach(removeFolders);

  it('reports a port that is taken, and creates no database', async () => {
    const file = await newDatabaseFile();
    const other = await listenOn(createServer());
    const { port } = new URL(other.address);
    const environment = { DATABASE_URL: `sqlite:${file}`, PORT: port, API_KEYS: '' };
    for (const prefix of ['', 'ADMIN_']) {
      expectRefusal(
        await runInProcess(['serve'], { ...environment, PORT: '0', [`${prefix}PORT`]: port }),
        new RegExp(
          `^error: can't listen: 127.0.0.1:${port} is in use; stop the process that listens there, or set ${prefix}PORT or ${prefix}HOST\n$`,
        ),
      );
      expect(existsSync(file)).to.equal(false);
    }
    await other.close();

    await whileServing(environment, async ({ address, firstKey: key }) => {
      expect(await listPets({ address, key })).to.deep.equal({ status: 200, text: '[]' });
    });
    expect(await integrityOf(file)).to.deep.equal(['ok']);
  });

  it('reports an address that the machine does not have', async () => {
    expectRefusal(
      await runInProcess(['serve'], { DATABASE_URL: 'memory:', HOST: '192.0.2.1', PORT: '0' }),
      /^error: can't listen: EADDRNOTAVAIL.*192\.0\.2\.1; this machine does not have that address; set HOST\n$/,
    );
  });

  it('reports a folder that the user may not write', async function () {
    await needsReadableBuild(this);
    const folder = await makeFolder();
    chmodSync(folder, 0o555);
    expectRefusal(
      await runUnprivileged([process.execPath, main, 'serve'], {
        DATABASE_URL: `sqlite:${folder}/animals`,
        PORT: '0',
      }),
      new RegExp(`can't be used: let this user write in the folder ${folder}, which belongs to \\w+\n$`),
    );
  });

  it('reports a port that the user may not use', () => {
    // The error is simulated, because reserved ports differ between machines.
    const cause = Object.assign(new Error('listen EACCES: permission denied 0.0.0.0:80'), { code: 'EACCES' });
    const failure = new CommandFailed({ _tag: 'CannotListen', cause, prefix: '' });
    expect(reasonOf(failure, { _tag: 'Memory' })).to.equal(
      "can't listen: EACCES: permission denied 0.0.0.0:80; this user may not use that port; set PORT to 1024 or more",
    );
  });

  it('gives advice that fits an error of PostgreSQL', () => {
    for (const [code, message, advice] of [
      ['ECONNREFUSED', '', 'start PostgreSQL there'],
      ['ENOTFOUND', '', 'the host name is unknown'],
      ['28P01', '', 'set the user and the password'],
      ['3D000', '', 'create that database'],
      ['42501', '', 'to serve, grant this role'],
      ['25006', '', 'set the host of the primary server'],
      ['55P03', '', 'another session holds a lock'],
      ['57014', '', 'another session holds a lock'],
      ['53300', '', 'raise max_connections'],
      ['SELF_SIGNED_CERT_IN_CHAIN', '', 'set sslrootcert'],
      ['CERT_HAS_EXPIRED', '', 'renew the certificate of the server'],
      ['ERR_TLS_CERT_ALTNAME_INVALID', '', 'set the host in DATABASE_URL to a name in the certificate'],
      ['EPROTO', 'routines:wrong version number:\n', 'enable TLS in the server'],
    ] as const) {
      const address = { _tag: 'Postgres', connectionString: 'postgres://host/animals' } as const;
      const cause = Object.assign(new Error(message), { code });
      const text = reasonOf(new CommandFailed({ _tag: 'Unavailable', cause }), address);
      expect(text, code).to.include(`; ${advice}`).and.not.include('\n');
    }
  });

  it('gives the advice that fits a fault which the store found itself, and else none', () => {
    for (const [kind, advice] of [
      ['Diagnosed', ''],
      [
        'EarlierGeneration',
        '; stop every instance of an earlier version, make a backup, then run `animal-store migrate`',
      ],
      ['UnexpectedValue', '; run `animal-store doctor`'],
    ] as const)
      expect(reasonOf(new DiagnosedError('a fault', kind), { _tag: 'Memory' })).to.equal(`a fault${advice}`);
  });

  for (const { name, within } of sqlStores) {
    it(`names the remedy if killed migrations of Knex left their lock on ${name}`, () =>
      within(async ({ databaseUrl, open }) => {
        const { writePool, close } = open();
        await writePool.migrate.list(migrationConfig);
        await writePool('animal_store_migrations').insert({ name: '000_earlier_migration' });
        await writePool('animal_store_migrations_lock').update({ is_locked: 1 });
        await close();
        expect((await runInProcess(['migrate'], { DATABASE_URL: databaseUrl })).stderr).to.match(
          /already locked; another process runs migrations with Knex; if none does, run `knex migrate:unlock`\n$/,
        );
      }));
  }

  it('escapes control characters in the name of a file', async () => {
    const folder = join(await makeFolder(), 'a\x1b[2Jb\nc');
    mkdirSync(folder);
    writeFileSync(join(folder, 'text'), text);
    for (const command of ['migrate', 'doctor']) {
      const environment = { DATABASE_URL: `sqlite:${folder}/text`, PORT: '0' };
      const { code, stdout, stderr } = await runInProcess([command], environment);
      expect(code).to.equal(1);
      expect(stdout + stderr)
        .to.include('a\\u001b[2Jb\\u000ac/text')
        .and.not.include('\x1b');
    }
  });

  it('gives advice instead of a stack if there are too few file descriptors', async () => {
    const folder = await makeFolder();
    const empty = join(folder, 'empty.js');
    writeFileSync(empty, '');
    const runLimited = (limit: number, ...program: ReadonlyArray<string>) =>
      startProgram('sh', ['-c', `ulimit -n ${limit}; exec "$0" "$@"`, process.execPath, ...program], {
        environment: { DATABASE_URL: `sqlite:${folder}/animals`, PORT: '0', HOST: '192.0.2.1' },
      }).ended;
    let least = 8;
    while ((await runLimited(least, empty)).code !== 0) least += 1;
    for (const limit of [least, least + 4]) {
      const { code, stderr } = await runLimited(limit, main, 'serve');
      expect(code, `${limit}: ${stderr}`).to.equal(1);
      expect(stderr, `${limit}`)
        .to.match(/ulimit|192\.0\.2\.1/)
        .and.not.match(/\n +at /);
    }
  });
});
