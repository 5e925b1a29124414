import { expect } from 'chai';
import { readdirSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Outcome, projectFolder, runCommand, startProgram } from '../support/processes/command';
import { markdownBlocks, shellCommands } from '../support/markdown';
import { killServices, type ServiceProcess, startService } from '../support/service/service-process';
import { makeFolder, removeFolders } from '../support/temporary-folder';

/** Pages whose commands and outputs are checked here. test/embedders checks the other pages. */
const files = [
  ...readdirSync(projectFolder).filter((name) => name.endsWith('.md') && name !== 'ARCHITECTURE.md'),
  ...['http-api', 'configuration', 'command-line'].map((name) => `docs/${name}.md`),
];

/** Page whose commands `documents-commands.slow.ts` runs on a machine of its own. Only its outputs are checked here. */
const operations = 'docs/operations.md';

/** Commands that are not run here, because they install, start or test the checkout that this test runs in. */
const notRun = ['npm ci && npm start', 'npm ci && npm test', 'npm ci', 'npm test'];

const commandsIn = (file: string): ReadonlyArray<string> =>
  markdownBlocks(file)
    .filter(({ language }) => language === 'sh')
    .flatMap(shellCommands);

/** Returns the block that shows the output of a program. */
const shown = (beginning: string): string =>
  [...files, operations].flatMap(markdownBlocks).find(({ text }) => text.startsWith(beginning))?.text ?? '';

const firstCall = commandsIn('README.md').find((command) => command.startsWith('curl')) ?? '';

/** Makes an installed and built checkout without hidden files, as a folder of links to this one. */
const newCheckout = async (): Promise<string> => {
  const folder = await makeFolder();
  for (const name of readdirSync(projectFolder)) {
    if (!name.startsWith('.')) symlinkSync(join(projectFolder, name), join(folder, name));
  }
  return folder;
};

/** Replaces what differs at each start: the address, the file, the key and the setting PORT. */
const withoutParticulars = (text: string): string =>
  text
    .replace(/http:\/\/127\.0\.0\.1:[0-9]+/g, 'ADDRESS')
    .replace(/sqlite:\S+\/animal-store\.sqlite3/, 'FILE')
    .replace(/animals_[\w-]+(?:\.\.\.)?/g, 'KEY')
    .replace('(set: PORT=0)', '(all settings are default)');

describe('the examples in the Markdown files', function () {
  let checkout = '';
  let service: ServiceProcess;
  let key = '';
  let revocable = '';

  /**
   * Runs a command as a reader would, in the same folder, with the current port, key and id instead of those on the
   * page.
   */
  const enter = (command: string, folder: string): Promise<Outcome> =>
    startProgram(
      'sh',
      ['-c', command.replaceAll('http://127.0.0.1:3000', service.address).replace(/\bID\b/, revocable)],
      { folder, environment: { PORT: '0', API_KEY: key, npm_config_update_notifier: 'false' } },
    ).ended;

  before(async () => {
    checkout = await newCheckout();
    service = await startService({}, checkout);
    key = await service.firstKey();
    const issued = await runCommand(['keys', 'create', '--name', 'to revoke'], {}, checkout);
    revocable = /_([^_]+)_/.exec(issued.stdout)?.[1] ?? '';
  });

  after(killServices);
  after(removeFolders);

  it('show what a first start prints', async () => {
    expect(await readFile(join(projectFolder, 'package.json'), 'utf8')).to.include(
      '"start": "exec node dist/app/main.js serve"',
    );
    await service.firstCall();
    expect(withoutParticulars(service.stderr())).to.equal(withoutParticulars(shown('animal-store serves')));
  });

  it('show the answer to the first call', async () => {
    expect(`${(await enter(firstCall, checkout)).stdout}
`).to.equal(shown('{"id"'));
  });

  it('show programs that test/embedders runs', async () => {
    const [python, openApiFetch] = markdownBlocks('docs/http-api.md').filter(({ language }) =>
      ['python', 'js'].includes(language),
    );
    const programOf = (file: string) => readFile(join(projectFolder, 'test/examples/clients', file), 'utf8');
    expect(python?.text).to.equal(await programOf('python.py'));
    const program = await programOf('openapi-fetch.mjs');
    const [imported = '', made = ''] = openApiFetch?.text.split('\n') ?? [];
    expect(program).to.include(imported).and.include(made);
    expect(program).to.include("parseAs: 'text'").and.include('data, null, BigInt)');
  });

  it('show an Error body', async () => {
    const answer = await fetch(`${service.address}/v1/pets?limit=0`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(await answer.text()).to.equal(JSON.stringify(JSON.parse(shown('{ "code"'))));
  });

  const known = new Set([...notRun, firstCall]);
  for (const file of files) {
    for (const command of commandsIn(file)) {
      if (known.has(command)) continue;
      known.add(command);
      it(`work as they stand in ${file}: ${command}`, async () => {
        const { code, stdout, stderr } = await enter(
          command,
          file === 'CONTRIBUTING.md' ? projectFolder : checkout,
        );
        expect(code, stdout + stderr).to.equal(0);
        expect(stdout + stderr).to.not.equal('');
      });
    }
  }
});
