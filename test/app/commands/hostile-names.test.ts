import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main, startProgram } from '../../support/processes/command';
import { runInProcess } from '../../support/processes/run-in-process';
import { makeFolder, removeFolders } from '../../support/temporary-folder';

describe('A message of a command', () => {
  afterEach(removeFolders);

  it('escapes control characters in the name of a file', async () => {
    const folder = join(await makeFolder(), 'a\x1b[2Jb\nc');
    mkdirSync(folder);
    const file = join(folder, 'text');
    writeFileSync(file, 'no database, but longer than the head of one, '.repeat(40));
    for (const [command, code] of [
      ['migrate', 1],
      ['doctor', 1],
    ] as const) {
      const ended = await runInProcess([command], { DATABASE_URL: `sqlite:${file}`, PORT: '0' });
      expect(ended.code).to.equal(code);
      expect(`${ended.stdout}${ended.stderr}`)
        .to.include('a\\u001b[2Jb\\u000ac/text')
        .and.not.include('\x1b');
    }
  });
});

describe('A start with few file descriptors', () => {
  afterEach(removeFolders);

  it('fails with advice instead of a stack', async () => {
    const folder = await makeFolder();
    for (const limit of [18, 20, 22, 24]) {
      const { code, stderr } = await startProgram(
        'sh',
        ['-c', `ulimit -n ${limit}; exec "$0" "$1" serve`, process.execPath, main],
        { environment: { DATABASE_URL: `sqlite:${folder}/animals`, PORT: '0', HOST: '192.0.2.1' } },
      ).ended;
      expect(code, `${limit}: ${stderr}`).to.equal(1);
      expect(stderr, `${limit}`)
        .to.match(/ulimit|192\.0\.2\.1/)
        .and.not.match(/\n +at /);
    }
  });
});
