import { expect } from 'chai';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, idOf } from '../../support/http/client';
import { execute } from '../../support/postgres/postgres';
import { newestProgramFolder } from '../../support/postgres/installed-servers';
import { newPostgresServer, type PostgresServer } from '../../support/postgres/postgres-server';
import { type Outcome, runCommand } from '../../support/processes/command';
import { needsPrograms } from '../../support/processes/system';
import { killServices, startService } from '../../support/service/service-process';
import { makeFolder, removeFolders } from '../../support/temporary-folder';

describe('A backup of a shared PostgreSQL database', () => {
  needsPrograms('pg_dump', 'pg_restore', 'psql');
  let server: PostgresServer;
  let programFolder = '';
  let [file, rows] = ['', ''];

  const urlOf = (role: string, database: string): string => {
    const url = Object.assign(new URL(server.url), {
      pathname: `/${database}`,
      username: role,
      password: role,
    });
    return url.href;
  };

  const run = (url: string, ...words: ReadonlyArray<string>): Promise<Outcome> =>
    runCommand(words, { DATABASE_URL: url, PATH: process.env['PATH'] ?? '', PGPASSWORD: 'keeper' });

  const succeed = async (url: string, ...words: ReadonlyArray<string>): Promise<Outcome> => {
    const outcome = await run(url, ...words);
    expect(outcome.code, outcome.stderr).to.equal(0);
    return outcome;
  };

  const newDatabase = (name: string): Promise<void> =>
    execute(server.url, `create database ${name} owner keeper`);

  before(async function () {
    const programs = newestProgramFolder();
    if (programs === undefined) return this.skip();
    const folder = await makeFolder();
    programFolder = programs;
    server = await newPostgresServer(folder, [], { programFolder });
    await server.start();
    for (const role of ['keeper', 'animals'])
      await execute(server.url, `create role ${role} login password '${role}'`);
    await newDatabase('shared');
    await succeed(urlOf('keeper', 'shared'), 'migrate');
    const onShared = Object.assign(new URL(server.url), { pathname: '/shared' }).href;
    await execute(
      onShared,
      'create schema other',
      'create table other.secret (id int)',
      'create table public.neighbour (id int)',
      'create extension pgcrypto',
    );
    [file, rows] = [join(folder, 'backup'), join(folder, 'rows.csv')];
    writeFileSync(rows, 'name,categoryId\nRex,1\nMia,2\n');
    await succeed(urlOf('keeper', 'shared'), 'import', rows);
    await succeed(urlOf('keeper', 'shared'), 'keys', 'create', '--name', 'shop');
    await succeed(urlOf('keeper', 'shared'), 'backup', file);
  });

  after(async () => {
    await killServices();
    await server.stop();
    await removeFolders();
  });

  it('is restored by one command into an empty database, where the role of the service serves', async () => {
    await newDatabase('restored');
    const target = urlOf('keeper', 'restored');
    const hidden = target.replace(':keeper@', '@');
    const { stderr } = await succeed('memory:', 'restore', file, '--into', hidden, '--role', 'animals');
    expect(stderr).to.match(
      /restored and checked: 2 animals, the newest was created at \S+Z, the last id is 2, no key was used/,
    );
    const { stdout } = await succeed(target, 'log', '--pet', '1');
    expect(stdout).to.include('animal 1 created by import by ');
    const { address } = await startService({ DATABASE_URL: urlOf('animals', 'restored'), API_KEYS: 'a-key' });
    const body = JSON.stringify({ name: 'Bo', categoryId: 3 });
    const created = await call(`${address}/v1/pets`, { method: 'POST', key: 'a-key', body });
    expect(created.status).to.equal(201);
    expect(idOf(created.text)).to.equal('3');
  });

  it('goes into the database with the name of the user if the address has none', async () => {
    await newDatabase('keeper');
    const target = urlOf('keeper', '');
    await succeed('memory:', 'restore', file, '--into', target);
    expect((await succeed(target, 'pets', 'list')).stdout).to.include('Mia');
  });

  it('is tried with --check, which leaves the database empty', async () => {
    await newDatabase('tried');
    const target = urlOf('keeper', 'tried');
    for (let times = 0; times < 2; times += 1) {
      const { stderr } = await succeed('memory:', 'restore', file, '--check', '--into', target);
      expect(stderr).to.include('the backup can be restored: 2 animals, ');
    }
  });

  it('is refused if its tables have another shape, which leaves the database empty', async () => {
    await newDatabase('odd');
    const odd = urlOf('keeper', 'odd');
    await succeed(odd, 'migrate');
    await succeed(odd, 'import', rows);
    await execute(
      Object.assign(new URL(server.url), { pathname: '/odd' }).href,
      'alter table pets drop created_by',
    );
    await succeed(odd, 'backup', `${file}.odd`);
    await newDatabase('refused');
    const target = urlOf('keeper', 'refused');
    const { code, stderr } = await run('memory:', 'restore', `${file}.odd`, '--into', target);
    expect(code).to.equal(1);
    expect(stderr).to.match(/the database lacks pets\.created_by .*; the database is unchanged\n$/);
    await succeed('memory:', 'restore', file, '--into', target);
  });

  it('is refused, without a loss, if the database has a table of the same name', async () => {
    await newDatabase('taken');
    const taken = Object.assign(new URL(server.url), { pathname: '/taken' }).href;
    await execute(
      taken,
      'create table animal_store_changes (note text)',
      "insert into animal_store_changes values ('mine')",
    );
    for (const check of [[], ['--check']]) {
      const { code, stderr } = await run(
        'memory:',
        'restore',
        file,
        '--into',
        urlOf('keeper', 'taken'),
        ...check,
      );
      expect(code).to.equal(1);
      expect(stderr, stderr).to.include('the target has a table animal_store_changes already');
    }
    await execute(taken, "do $$ begin assert (select note = 'mine' from animal_store_changes); end $$");
  });

  it('is refused if it would be of a standby, which may lack animals, or of the tables of another program', async () => {
    const folder = await makeFolder();
    const standby = await newPostgresServer(folder, [], { programFolder });
    await standby.start();
    await succeed(standby.url, 'migrate');
    await standby.stop();
    writeFileSync(join(standby.folder, 'standby.signal'), '');
    await standby.start();
    const [ofStandby, ofOther] = [join(folder, 'standby'), join(folder, 'other')];
    expect((await run(standby.url, 'backup', ofStandby)).stderr).to.match(
      /hot standby mode; .* was not written\n$/,
    );
    expect((await run(standby.url, 'backup', ofStandby)).code).to.equal(1);
    await standby.stop();
    await newDatabase('other_program');
    const other = Object.assign(new URL(server.url), { pathname: '/other_program' }).href;
    await execute(other, 'create table pets (id int)', 'alter table pets owner to keeper');
    const { code, stderr } = await run(urlOf('keeper', 'other_program'), 'backup', ofOther);
    expect(code).to.equal(1);
    expect(stderr)
      .to.include('there is no animal store in')
      .and.match(/ was not written\n$/);
    expect(readdirSync(folder)).not.to.include.members(['standby', 'other']);
  });

  it('is not restored over a store, or if a part of the file is damaged', async () => {
    const refused = await run(urlOf('keeper', 'shared'), 'restore', file);
    expect(refused.stderr).to.include('there is a store in the target already');
    const damaged = `${file}.damaged`;
    const bytes = readFileSync(file);
    const start = bytes.indexOf('PGDMP');
    bytes.fill(0, start + Math.floor(bytes.length * 0.9));
    writeFileSync(damaged, bytes);
    await newDatabase('unchanged');
    expect(await run(urlOf('keeper', 'unchanged'), 'restore', damaged)).to.include({ code: 1 });
    const restored = await run(urlOf('keeper', 'unchanged'), 'restore', file);
    expect(restored.code, restored.stderr).to.equal(0);
  });
});
