import { expect } from 'chai';
import { newCatalogue } from '../../support/databases/catalogue';
import { killPrograms, main, startProgram } from '../../support/processes/command';
import { removeFolders } from '../../support/temporary-folder';
import { animals, namesIn, newBackup, newFile } from './support';

describe('A database file that is mounted without its folder', () => {
  afterEach(killPrograms);
  afterEach(removeFolders);

  it('can not be replaced, and serve refuses it in production', async function () {
    const probe = await startProgram('unshare', ['-m', 'true']).ended.catch(() => undefined);
    if (probe?.code !== 0) {
      if (this.test !== undefined) this.test.title += ' (skipped: a mount namespace needs root)';
      this.skip();
    }
    const { file } = await newCatalogue(animals(1));
    const backup = await newBackup();
    const [text, mounted] = [await newFile('text', ''), await newFile('mounted file', '')];
    const at = (path: string) => ({ DATABASE_URL: `sqlite:${path}`, PORT: '0' });
    const production = { ...at(mounted), NODE_ENV: 'production', API_KEYS: 'a-key-of-22-characters-' };
    const noReplacement = `${mounted} is a mount point, so no file can take its place; mount its folder instead`;
    for (const [source, words, environment, code, expected] of [
      [text, ['backup', mounted, '--replace'], at(file), 1, noReplacement],
      [text, ['export', mounted, '--format=csv', '--replace'], at(file), 1, noReplacement],
      [file, ['restore', backup, '--replace'], at(mounted), 1, noReplacement],
      [file, ['serve'], production, 1, 'mount its folder'],
      [file, ['doctor'], at(mounted), 0, /warn\w* +mount +.* mount its folder/i],
    ] as const) {
      const script = 'mount --bind "$1" "$2" && shift 2 && exec "$@"';
      const command = ['-m', 'sh', '-c', script, 'sh', source, mounted, process.execPath, main, ...words];
      const outcome = await startProgram('unshare', command, { environment }).ended;
      expect(outcome.stdout + outcome.stderr).to.match(new RegExp(expected));
      expect(outcome.code, words.join(' ')).to.equal(code);
    }
    expect(await namesIn(file)).to.deep.equal(['animal 1']);
  });
});
