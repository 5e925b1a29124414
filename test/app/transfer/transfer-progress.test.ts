import { expect } from 'chai';
import { mock } from 'node:test';
import { showProgress } from '../../../app/transfer/progress';
import { newCatalogue } from '../../support/databases/catalogue';
import { killPrograms, main, startProgram } from '../../support/processes/command';
import { removeFolders } from '../../support/temporary-folder';
import { newFile } from './support';

/** Returns what a command writes to a terminal, which `script` of util-linux makes. */
const onTerminal = async (command: string, environment: Readonly<Record<string, string>>) => {
  const { code, stdout } = await startProgram('script', ['-qec', command, '/dev/null'], {
    environment: { ...environment, TERM: 'xterm', SHELL: '/bin/sh' },
  }).ended;
  return { code, text: stdout };
};

describe('The progress of a transfer', () => {
  afterEach(() => {
    mock.timers.reset();
  });

  for (const [what, fraction, line] of [
    ['with the time left', 0.25, /^3000 animals, \d+ per second, \d+ s left$/],
    ['without the time left for a pipe, whose size is unknown', undefined, /^3000 animals, \d+ per second$/],
    ['without the time left at the start', 0, /^3000 animals, \d+ per second$/],
  ] as const) {
    it(`is a line every five seconds until the end, ${what}`, () => {
      mock.timers.enable({ apis: ['setInterval'] });
      const lines: Array<string> = [];
      const printError = (text: string): void => void lines.push(text);
      const hide = showProgress({ printError }, { count: () => 3_000, fraction: () => fraction });
      mock.timers.tick(4_999);
      expect(lines).to.deep.equal([]);
      mock.timers.tick(5_001);
      expect(lines).to.have.lengthOf(2);
      for (const text of lines) expect(text).to.match(line);
      hide();
      mock.timers.tick(10_000);
      expect(lines).to.have.lengthOf(2);
    });
  }
});

describe('At a terminal', () => {
  afterEach(killPrograms);
  afterEach(removeFolders);

  it('an import prints its invalid rows and its summary', async () => {
    const { file: database, environment } = await newCatalogue();
    const file = await newFile('animals.csv', `name,categoryId\n${'Rex,1\n'.repeat(3_000)}Rex,x\nRex,y\n`);
    const command = `${process.execPath} ${main} import --skip-invalid ${file}`;
    const { code, text } = await onTerminal(command, environment);
    expect(code).to.equal(0);
    expect(text.split('\r\n').map((line) => line.replace(/ must be .*| in [\d.]+ s$/, ''))).to.deep.equal([
      `database: sqlite:${database}`,
      'line 3002: categoryId',
      'line 3003: categoryId',
      '3000 animals were stored, 2 invalid rows skipped,',
      '',
    ]);
  });

  it('an export prints its summary after the animals', async () => {
    const { file, environment } = await newCatalogue();
    const { text } = await onTerminal(`${process.execPath} ${main} export --format csv`, environment);
    expect(text).to.equal(
      `database: sqlite:${file}\r\nname,categoryId,status,id\r\r\n0 animals were exported\r\n`,
    );
  });
});
