import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rereadPostgresUrl } from '../../../app/settings/secrets';
import { readSettings } from '../../../app/settings/settings';
import { runInProcess } from '../../support/processes/run-in-process';
import { makeFolder, removeFolders } from '../../support/temporary-folder';
import { defaults } from './default-settings';

describe('The settings', () => {
  afterEach(removeFolders);

  it('read secrets from files, with line breaks at the end and between keys', async () => {
    const folder = await makeFolder();
    const [keys, address] = [join(folder, 'keys'), join(folder, 'address')];
    writeFileSync(keys, 'one,\ntwo\r\n \r\nthree\n');
    writeFileSync(address, '\ufeffpostgres://keeper:s3cretWord@host/animals \r\n');
    expect(readSettings({ API_KEYS_FILE: `${keys}\r`, DATABASE_URL_FILE: ` ${address}` })).to.deep.equal(
      E.right({
        ...defaults,
        API_KEYS: ['one', 'two', 'three'],
        DATABASE_URL: {
          _tag: 'Postgres',
          connectionString: 'postgres://keeper:s3cretWord@host/animals',
          file: address,
        },
      }),
    );
    expect(readSettings({ API_KEYS_FILE: '', DATABASE_URL_FILE: '', API_KEYS: 'one' })).to.deep.equal(
      E.right({ ...defaults, API_KEYS: ['one'] }),
    );
  });

  it('read a rotated URL of PostgreSQL from its file, and keep the last one while the file has none', async () => {
    const file = join(await makeFolder(), 'url');
    const read = rereadPostgresUrl(file, 'postgres://keeper:first@host/animals');
    expect(read()).to.equal('postgres://keeper:first@host/animals');
    writeFileSync(file, 'postgresql://keeper:second@host/animals\n');
    expect(read()).to.equal('postgres://keeper:second@host/animals');
    for (const text of ['', 'sqlite:animals.sqlite3', 'postgres://[bad/animals']) {
      writeFileSync(file, text);
      expect(read(), text).to.equal('postgres://keeper:second@host/animals');
    }
  });

  it('prefer a file to the value, reject one that is missing, empty or invalid, and show no secret', async () => {
    const folder = await makeFolder();
    const [empty, wrongKeys] = [join(folder, 'empty'), join(folder, 'wrong')];
    const [blanks, large] = [join(folder, 'blanks'), join(folder, 'large')];
    writeFileSync(empty, '\n');
    writeFileSync(blanks, `one${' '.repeat(999_990)}two`);
    writeFileSync(large, 'k'.repeat(1_000_001));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    writeFileSync(wrongKeys, 's3cretWord and another\n');
    for (const [environment, fault] of [
      [{ API_KEYS_FILE: join(folder, 'missing') }, /^error: API_KEYS_FILE must be .*\(ENOENT\)$/],
      ...[folder, join(folder, 'pipe'), '/dev/zero', large].map(
        (file) =>
          [
            { API_KEYS_FILE: file },
            /^error: API_KEYS_FILE must be a regular file of at most 1000000 bytes$/,
          ] as const,
      ),
      [{ API_KEYS_FILE: blanks }, /^error: API_KEYS must be keys separated/],
      [{ API_KEYS_FILE: empty }, /^error: API_KEYS_FILE must be a file that is not empty$/],
      [{ API_KEYS_FILE: wrongKeys }, /^error: API_KEYS must be keys separated/],
      [{ DATABASE_URL_FILE: wrongKeys }, /^error: DATABASE_URL must be sqlite:/],
      [
        { API_KEYS_FILE: wrongKeys, API_KEYS: 'one' },
        /^warning: API_KEYS is ignored, because API_KEYS_FILE is set\nerror: API_KEYS must be keys/,
      ],
    ] as const) {
      const { code, stderr } = await runInProcess(['serve'], environment);
      expect(code).to.equal(1);
      expect(stderr.trimEnd()).to.match(fault).and.not.include('s3cretWord');
    }
  });

  for (const address of [
    'postgres://keeper:s3cretWord@127.0.0.1:1/animals',
    'postgres://keeper:s3cretWord@[bad/animals',
    'mysql://keeper:s3cretWord@127.0.0.1/animals',
  ]) {
    it(`never show the password of ${address.replace('s3cretWord', '***')}`, async () => {
      const { code, stdout, stderr } = await runInProcess(['serve'], { DATABASE_URL: address, PORT: '0' });
      expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
      expect(stderr)
        .to.match(/^error: .*(?:database|DATABASE_URL)/)
        .and.not.match(/s3cretWord|\n +at /);
    });
  }
});
