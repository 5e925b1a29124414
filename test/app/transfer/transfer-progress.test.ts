import { expect } from 'chai';
import { mock } from 'node:test';
import { showProgress } from '../../../app/transfer/progress';
import { CategoryId, decodeOrThrow, PetName } from '../../../core';
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

  it('is a line every five seconds until the end at a terminal, with the time left if it is known', () => {
    for (const [isTTY, fraction, expected] of [
      [true, 0.25, /^3000 animals, \d+ per second, \d+ s left\n3000 animals, \d+ per second, \d+ s left\n$/],
      [true, undefined, /^3000 animals, \d+ per second\n3000 animals, \d+ per second\n$/],
      [false, 0.25, /^$/],
    ] as const) {
      mock.timers.enable({ apis: ['setInterval'] });
      let text = '';
      const printError = (line: string): void => void (text += `${line}\n`);
      const terminal = { printError, stderr: { isTTY } };
      const hide = showProgress(terminal, { count: () => 3_000, fraction: () => fraction });
      mock.timers.tick(10_000);
      hide();
      mock.timers.tick(10_000);
      expect(text).to.match(expected);
      mock.timers.reset();
    }
  });
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
      'the animals get new ids; `animal-store copy` keeps ids',
      `database: sqlite:${database}`,
      'line 3002: categoryId',
      'line 3003: categoryId',
      '3000 animals were stored with new ids from 1 to 3000, 2 invalid rows skipped,',
      '',
    ]);
  });

  it('an export shows control characters escaped, and then its summary', async () => {
    const name = decodeOrThrow(PetName, 'a\x1b[2Jb\u202e\r\nc');
    const { file, environment } = await newCatalogue([{ name, categoryId: decodeOrThrow(CategoryId, 1n) }]);
    for (const [format, shown] of [
      ['csv', 'name,categoryId,status,id\r\n"a\\u001b[2Jb\\u202e\r\nc",1,,1'],
      ['ndjson', '{"id":1,"name":"a\\u001b[2Jb\\u202e\\r\\nc","categoryId":1}'],
    ] as const) {
      const command = `${process.execPath} ${main} export --format ${format}`;
      const { text } = await onTerminal(command, environment);
      expect(text).to.equal(`database: sqlite:${file}\r\n${shown}\r\n1 animal was exported\r\n`);
    }
  });
});
