import { expect } from 'chai';
import stringWidth from 'string-width';
import { existsSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { openSqlite } from '../../../adapters/knex';
import { newCatalogue } from '../../support/databases/catalogue';
import { type Environment, main, withoutDatabaseLine } from '../../support/processes/command';
import { needsPrograms } from '../../support/processes/system';
import { startAtTerminal } from '../../support/processes/terminal';
import { runInProcess } from '../../support/processes/run-in-process';
import { newDatabaseFile, removeFolders } from '../../support/temporary-folder';

const dayMs = 86_400_000;

const newStore = async () => {
  const { file, environment } = await newCatalogue();
  return { file, environment: { ...environment, API_KEYS: '' } };
};

const keys = async (environment: Environment, ...command: ReadonlyArray<string>) =>
  withoutDatabaseLine(await runInProcess(['keys', ...command], environment));

/** Parses the record that a command prints as JSON. The listed fields are empty if the record lacks them. */
const printed = (stdout: string) => {
  const record: unknown = JSON.parse(stdout);
  return Object.assign({ id: '', key: '', createdAt: '', expiresAt: '' }, record);
};

const create = async (environment: Environment, name: string, ...options: ReadonlyArray<string>) => {
  const { stdout } = await keys(environment, 'create', `--name=${name}`, '--json', ...options);
  const { key, ...record } = printed(stdout);
  expect(record).to.include({ name, revokedAt: null });
  return { id: record.id, key, record };
};

const listed = async (environment: Environment): Promise<unknown> =>
  JSON.parse((await keys(environment, 'list', '--json')).stdout);

const lifetimeOf = ({ createdAt, expiresAt }: ReturnType<typeof printed>): number =>
  Date.parse(expiresAt) - Date.parse(createdAt);

const today = (laterDays = 0): string => new Date(Date.now() + laterDays * dayMs).toISOString().slice(0, 10);

describe('The command keys', () => {
  afterEach(removeFolders);

  it('prints only the key on standard output, and lists it without its secret', async () => {
    const { environment } = await newStore();
    const created = await keys(environment, 'create', '--name', 'shop');
    expect(created.code).to.equal(0);
    expect(created.stdout).to.match(/^animals_[0-9a-f]{16}_[\w-]{43}\n$/);
    const [key, id = 'no id'] = [created.stdout.trim(), created.stdout.split('_')[1]];
    expect(created.stderr).to.include(`animal-store keys revoke ${id}`).and.not.include(key);

    const { code, stdout, stderr } = await keys(environment, 'list');
    expect(stdout).to.equal(
      [
        'ID\tNAME\tLAST4\tCREATED\tEXPIRES\tUSED\tSTATE\n',
        `${id}\tshop\t${key.slice(-4)}\t${today()}\tnever\tnever\tvalid\n`,
      ].join(''),
    );
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
  });

  it('creates a read-only key, and lists its access', async () => {
    const { environment } = await newStore();
    const { record } = await create(environment, 'page', '--read-only');
    expect(record).to.include({ isReadOnly: true });
    expect((await keys(environment, 'list')).stdout).to.match(
      /\tACCESS\tSTATE\n.*\tpage\t.*\tread-only\tvalid\n$/,
    );
  });

  it('lists the last use of each key, and marks valid keys that were not used for 30 days', async () => {
    const { file, environment } = await newStore();
    const { writePool, close } = openSqlite(file);
    for (const [name, created, used] of [
      ['fresh', 0, null],
      ['never used', 31, null],
      ['in use', 99, 0],
      ['used lately', 99, 29.5],
      ['abandoned', 99, 30.5],
    ] as const) {
      const { id } = await create(environment, name);
      const ago = (days: number) => Date.now() - days * dayMs;
      const times = { created_at: ago(created), last_used_at: used === null ? null : ago(used) };
      await writePool('api_keys').where({ id }).update(times);
    }
    const { id } = await create(environment, 'revoked');
    await writePool('api_keys').where({ id }).update({ created_at: 0, revoked_at: 0 });
    await close();
    const { stdout } = await keys(environment, 'list');
    const cells = stdout.split('\n').map((line) => line.split('\t'));
    const [, ...rows] = cells.map(([, name, , , , used, state]) => [name, used, state]);
    expect(rows).to.have.deep.members([
      [undefined, undefined, undefined],
      ['fresh', 'never', 'valid'],
      ['never used', 'never', 'unused'],
      ['in use', '<1d', 'valid'],
      ['used lately', '29d', 'valid'],
      ['abandoned', '30d', 'unused'],
      ['revoked', 'never', 'revoked'],
    ]);
    const records = JSON.stringify(await listed(environment));
    expect(records.match(/"isUnused":true/g)).to.have.lengthOf(2);
    expect(records.match(/"lastUsedAt":"\d{4}-/g)).to.have.lengthOf(3);
  });

  it('warns at a creation if API_KEYS is set', async () => {
    const { environment } = await newStore();
    const warning = 'a service with API_KEYS ignores the keys in the database';
    const withKeys = { ...environment, API_KEYS: 'a-key-of-32-characters-and-more-' };
    expect((await keys(environment, 'create', '--name', 'shop')).stderr).not.to.include('warning');
    expect((await keys(withKeys, 'create', '--name', 'shop')).stderr).to.include(warning);
  });

  it('escapes control characters', async () => {
    const { environment } = await newStore();
    const name = 'a\u009b2Jb\u0085c\u007fd\u202ee\u2066f\u2028g\u200fh\u{e0041}i🐢';
    const { id } = await create(environment, name);
    for (const command of [['list'], ['list', '--json'], ['revoke', id]]) {
      expect((await keys(environment, ...command)).stdout, command.join(' ')).to.include(
        String.raw`"a\u009b2Jb\u0085c\u007fd\u202ee\u2066f\u2028g\u200fh\udb40\udc41i🐢"`,
      );
    }
    expect(await listed(environment)).to.have.nested.property('[0].name', name);
  });

  it('rejects an empty name and an invalid lifetime', async () => {
    const file = await newDatabaseFile();
    for (const options of [
      ['--name='],
      ...['0d', '90', '-1d', '1y', ''].map((lifetime) => ['--name=shop', `--expires=${lifetime}`]),
    ]) {
      const refused = await keys({ DATABASE_URL: `sqlite:${file}` }, 'create', ...options);
      expect(refused, options.join()).to.include({ code: 2, stdout: '' });
    }
    expect(existsSync(file)).to.equal(false);
  });

  it('warns at the revocation of the last valid key, unless API_KEYS has another', async () => {
    const { environment } = await newStore();
    for (const API_KEYS of ['', 'a-key-of-the-settings']) {
      const { id } = await create(environment, 'last');
      const { code, stderr } = await keys({ ...environment, API_KEYS }, 'revoke', id);
      expect(code).to.equal(0);
      expect(stderr.includes('warning: no valid key is left')).to.equal(API_KEYS === '');
    }
  });

  it('limits the lifetime of a key with --expires only', async () => {
    const { environment } = await newStore();
    const { stdout } = await keys(environment, 'create', '--name=shop', '--expires=90d', '--json');
    const created = printed(stdout);
    expect(lifetimeOf(created)).to.be.closeTo(90 * dayMs, 60_000);
    expect((await keys(environment, 'list')).stdout).to.include(
      `\t${created.expiresAt.slice(0, 10)}\tnever\tvalid`,
    );
    expect((await create(environment, 'other')).record).to.include({ expiresAt: null });
  });

  it('fails for an unknown id, and for the rotation of a revoked key: exit code 1', async () => {
    const { environment } = await newStore();
    const { id } = await create(environment, 'shop');
    await keys(environment, 'revoke', id);
    const records = await listed(environment);
    const unknown = "no key has the id x' OR 1=1; `animal-store keys list` shows the ids";
    for (const [command, reason] of [
      [['revoke', "x' OR 1=1", '--json'], unknown],
      [['rotate', "x' OR 1=1", '--json'], unknown],
      [
        ['rotate', id],
        `key ${id} is revoked; create a new one with \`animal-store keys create --name NAME\``,
      ],
    ] as const) {
      const { code, stdout, stderr } = await keys(environment, ...command);
      expect(stderr).to.equal(`error: ${reason}\n`);
      expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    }
    expect(await listed(environment)).to.deep.equal(records);
  });

  it('names the predecessors that stay valid after a rotation', async () => {
    const { environment } = await newStore();
    const { id } = await create(environment, 'shop');
    const first = await keys(environment, 'rotate', id);
    expect(first.stderr).to.match(
      new RegExp(`\nkey ${id} of the same owner stays valid until \\d{4}-.*; to end it now, run .* ${id}`),
    );
    const again = await keys(environment, 'rotate', id, '--grace=0s');
    const second = first.stdout.split('_')[1] ?? '';
    expect(again.stderr).to.include(`\nkey ${second} of the same owner does not expire; to end it now, run`);
    expect(again.stderr).not.to.include(`key ${id} of`);
  });
});

describe('The list of keys at a terminal', () => {
  needsPrograms('script');
  afterEach(removeFolders);

  it('fits 80 columns, and has the owner, the end and the state of each', async () => {
    const { environment } = await newStore();
    const long = await create(environment, 'a name that is much longer than its column');
    const { stdout: rotated } = await keys(environment, 'rotate', long.id, '--expires=90d');
    await keys(environment, 'revoke', long.id);
    const [, id] = rotated.split('_');
    const { stdout } = await startAtTerminal(`exec ${process.execPath} ${main} keys list`, { environment })
      .ended;
    const [database, ...lines] = stdout.trimEnd().split('\r\n');
    expect(database).to.include('database: ');
    for (const line of lines) expect(line.length, line).to.be.at.most(80);
    expect(lines.map((line) => line.split(/ {2,}/))).to.deep.equal([
      ['ID', 'NAME', 'OWNER', 'LAST4', 'EXPIRES', 'USED', 'STATE'],
      [long.id, 'a name that is muc…', 'same', long.key.slice(-4), today(1), 'never', 'revoked'],
      [id, 'a name that is muc…', long.id.slice(0, 6), rotated.trim().slice(-4), today(90), 'never', 'valid'],
    ]);
  });

  it('fits 80 columns, and has access and state of each key, if a read-only key was rotated and not used', async () => {
    const { file, environment } = await newStore();
    const page = await create(environment, 'a name that is much longer than its column', '--read-only');
    const shop = await create(environment, 'shop');
    const { stdout: rotated } = await keys(environment, 'rotate', shop.id);
    const { writePool, close } = openSqlite(file);
    await writePool('api_keys').whereIn('id', [page.id, shop.id]).update({ created_at: 0 });
    await close();
    const command = `exec ${process.execPath} ${main} keys list`;
    const { stdout } = await startAtTerminal(command, { environment }).ended;
    const [, ...lines] = stdout.trimEnd().split('\r\n');
    for (const line of lines) expect(line.length, line).to.be.at.most(80);
    const rows = lines.map((line) => line.split(/ {2,}/));
    expect(rows.map((row) => [row[0], ...row.slice(-2)])).to.have.deep.members([
      ['ID', 'ACCESS', 'STATE'],
      [page.id, 'read-only', 'unused'],
      [shop.id, 'full', 'unused'],
      [rotated.split('_')[1], 'full', 'valid'],
    ]);
  });

  it('fits 80 columns in a container, whose terminal has no width', async () => {
    const { environment } = await newStore();
    await create(environment, 'a name that is much longer than its column, and than the whole terminal');
    const chunks: Array<unknown> = [];
    const output = new PassThrough().on('data', (chunk) => chunks.push(chunk));
    const stdout = Object.assign(output, { isTTY: true, columns: 0 });
    expect((await runInProcess(['keys', 'list'], environment, { stdout })).code).to.equal(0);
    const lines = chunks.join('').trimEnd().split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).to.equal(80);
  });

  it('aligns names with wide characters, and quotes only names that could imitate columns', async () => {
    const { environment } = await newStore();
    const names = ['plain shop', '日本語の店', '🐕 family', 'cafe\u0301', 'two  blanks', ' blank', '"'];
    for (const name of [...names, '🐕'.repeat(40)]) await create(environment, name);
    for (const columns of [80, 60]) {
      const command = `exec ${process.execPath} ${main} keys list`;
      const { stdout } = await startAtTerminal(command, { environment, columns }).ended;
      const [, ...lines] = stdout.trimEnd().split('\r\n');
      const widths = new Set(
        lines.map((line) => stringWidth(line.slice(0, line.search(/\S{4} {3}\d{4}-|LAST4/)))),
      );
      expect(widths.size, lines.join('\n')).to.equal(1);
      if (columns === 80) for (const line of lines) expect(stringWidth(line), line).to.be.at.most(80);
      expect(stdout).to.not.include('\ufffd');
      if (columns === 80)
        expect(
          lines.slice(1, -1).map((line) => line.slice(18).replace(/ +\S{4} {3}\d{4}-.*/, '')),
        ).to.deep.equal([...names.slice(0, 4), ...['"two  blanks"', '" blank"', '"\\""']]);
    }
  });
});
