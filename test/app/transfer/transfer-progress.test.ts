import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newCatalogue } from '../../support/databases/catalogue';
import { killPrograms, main, startProgram } from '../../support/processes/command';
import { makeFolder, removeFolders } from '../../support/temporary-folder';

/** What a command writes to a terminal of its own (script, of util-linux). */
const onTerminal = async (command: string, environment: Readonly<Record<string, string>>) => {
  const { code, stdout } = await startProgram('script', ['-qec', command, '/dev/null'], {
    environment: { ...environment, TERM: 'xterm', SHELL: '/bin/sh' },
  }).ended;
  return { code, text: stdout };
};

describe('At a terminal', () => {
  afterEach(killPrograms);
  afterEach(removeFolders);

  it('an import draws a bar with rate and time left, and wrong rows stay above it', async () => {
    const { environment } = await newCatalogue();
    const file = join(await makeFolder(), 'animals.csv');
    await writeFile(file, `name,categoryId\n${'Rex,1\n'.repeat(3_000)}Rex,x\nRex,y\n`);
    const { code, text } = await onTerminal(
      `${process.execPath} ${main} import --skip-invalid ${file}`,
      environment,
    );
    expect(code).to.equal(0);
    expect(text).to.match(/\[=+-*\] 100% {2}3002 animals, \d+ a second, 0 s left/);
    expect(text).to.match(
      /line 3002: categoryId must be [^\n]*\r\n[^]*line 3003: categoryId must be [^\n]*\r\n/,
    );
    expect(text).to.match(/3000 animals were stored, 2 wrong rows left out, in [\d.]+ s\r\n$/);
  });

  it('an import from a pipe, whose size nobody knows, shows count and rate', async () => {
    const { environment } = await newCatalogue();
    const row = '{"name":"Rex","categoryId":1}';
    const command = `echo '${row}' | ${process.execPath} ${main} import --format ndjson -`;
    const { code, text } = await onTerminal(command, environment);
    expect(code).to.equal(0);
    expect(text)
      .to.match(/1 animals, \d+ a second/)
      .and.not.match(/%|left/);
  });

  it('an export shows its progress, but not between the animals', async () => {
    const { environment } = await newCatalogue();
    const folder = await makeFolder();
    const command = `${process.execPath} ${main} export`;
    const toFile = await onTerminal(`${command} ${join(folder, 'a.csv')}`, environment);
    expect(toFile.text).to.match(/0 animals, 0 a second[^]*0 animals were exported\r\n$/);
    const toScreen = await onTerminal(`${command} --format csv`, environment);
    expect(toScreen.text).to.equal('name,categoryId,status,id\r\r\n0 animals were exported\r\n');
  });
});
