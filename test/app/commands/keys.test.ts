import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { openSqlite } from '../../../adapters/knex';
import type { Environment } from '../../support/processes/command';
import { create, dayMs, keys, newStore, printed, today } from '../../support/processes/keys-command';
import { newDatabaseFile, removeFolders } from '../../support/temporary-folder';

const listed = async (environment: Environment): Promise<unknown> =>
  JSON.parse((await keys(environment, 'list', '--json')).stdout);

const lifetimeOf = ({ createdAt, expiresAt }: ReturnType<typeof printed>): number =>
  Date.parse(expiresAt) - Date.parse(createdAt);

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
