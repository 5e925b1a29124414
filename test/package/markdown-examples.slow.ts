import { expect } from 'chai';
import { readdirSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { firstCommands } from '../../app/serve/banner';
import { type Outcome, projectFolder, runCommand, startProgram } from '../support/processes/command';
import { markdownBlocks, shellCommands } from '../support/markdown';
import { killServices, type ServiceProcess, startService } from '../support/service/service-process';
import { makeFolder, removeFolders } from '../support/temporary-folder';

/** Pages whose commands and outputs are checked here. test/embedders checks the other pages. */
const files = [
  ...readdirSync(projectFolder).filter((name) => name.endsWith('.md') && name !== 'ARCHITECTURE.md'),
  ...['http-api', 'configuration', 'command-line'].map((name) => `docs/${name}.md`),
];

/** Commands that are not run here, because they install, start or test the checkout that this test runs in. */
const notRun = ['npm ci && npm start', 'npm ci && npm test', 'npm ci', 'npm test'];

const commandsIn = (file: string): ReadonlyArray<string> =>
  markdownBlocks(file)
    .filter(({ language }) => language === 'sh')
    .flatMap(shellCommands);

/** Returns the block that shows the output of a program. */
const shown = (beginning: string): string =>
  files.flatMap(markdownBlocks).find(({ text }) => text.startsWith(beginning))?.text ?? '';

const firstCall = commandsIn('README.md').find((command) => command.startsWith('curl')) ?? '';

/** Makes an installed and built checkout without hidden files, as a folder of links to this one. */
const newCheckout = async (): Promise<string> => {
  const folder = await makeFolder();
  for (const name of readdirSync(projectFolder)) {
    if (!name.startsWith('.')) symlinkSync(join(projectFolder, name), join(folder, name));
  }
  return folder;
};

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

  it('show the command that a first start prints', async () => {
    expect(await readFile(join(projectFolder, 'package.json'), 'utf8')).to.include(
      '"start": "exec node dist/app/main.js serve"',
    );
    const commands = firstCommands('http://127.0.0.1:3000', '...');
    expect(markdownBlocks('README.md').map(({ text }) => text)).to.include(`${commands.join('\n')}\n`);
    expect(await service.firstCall()).to.equal(firstCommands(service.address, key).join('\n'));
  });

  it('show the answer to the first call', async () => {
    expect((await enter(firstCall, checkout)).stdout).to.equal(shown('{"id"'));
  });

  const programsIn = (language: string): ReadonlyArray<string> =>
    markdownBlocks('docs/http-api.md').flatMap((block) => (block.language === language ? [block.text] : []));

  /** Runs a program of docs/http-api.md against the service. */
  const run = (program: string, parameters: ReadonlyArray<string>, text = ''): Promise<Outcome> =>
    startProgram(program, [...parameters, text.replaceAll('http://127.0.0.1:3000', service.address)], {
      environment: { API_KEY: key },
    }).ended;

  const answers = /"?name"?: 'Rex'.*\n?.*"?name"?: 'Rex'/s;

  it('work as they stand in docs/http-api.md: requests of Python', async function () {
    const [text] = programsIn('python');
    if ((await run('python3', ['-c'], 'import requests')).code !== 0) this.skip();
    const { code, stdout, stderr } = await run('python3', ['-c'], text);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout.replaceAll("'name'", 'name')).to.match(answers);
  });

  it('work as they stand in docs/http-api.md: fetch of a web page', async () => {
    const [text = ''] = programsIn('js');
    const program = `const apiKey = process.env.API_KEY;\n${text}`;
    const { code, stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval'], program);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout).to.match(answers);
  });

  it('show the lines of a program that test/embedders runs', async () => {
    const program = await readFile(join(projectFolder, 'test/examples/clients/openapi-fetch.mjs'), 'utf8');
    const [imported = '', made = ''] = programsIn('js')[1]?.split('\n') ?? [];
    expect(program).to.include(imported).and.include(made);
    expect(program).to.include("parseAs: 'text'").and.include('data, null, BigInt)');
  });

  it('show an Error body', async () => {
    const answer = await fetch(`${service.address}/v1/pets?limit=0`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(await answer.text()).to.equal(`${JSON.stringify(JSON.parse(shown('{ "code"')))}\n`);
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
        if (!command.startsWith('export ')) expect(stdout + stderr).to.not.equal('');
      });
    }
  }
});
