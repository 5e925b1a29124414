import { expect } from 'chai';
import stringWidth from 'string-width';
import { PassThrough } from 'node:stream';
import { openSqlite } from '../../../adapters/knex';
import { main } from '../../support/processes/command';
import { create, keys, newStore, today } from '../../support/processes/keys-command';
import { runInProcess } from '../../support/processes/run-in-process';
import { needsPrograms } from '../../support/processes/system';
import { startAtTerminal } from '../../support/processes/terminal';
import { removeFolders } from '../../support/temporary-folder';

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
