import { expect } from 'chai';
import { stripVTControlCharacters } from 'node:util';
import { firstCommands } from '../../../app/serve/banner';
import { terminalText } from '../../../app/serve/terminal-log';
import { eventually } from '../../support/eventually';
import { call } from '../../support/http/client';
import { builtVersion, type Environment, killPrograms, main } from '../../support/processes/command';
import { needsPrograms } from '../../support/processes/system';
import { startAtTerminal } from '../../support/processes/terminal';
import { newDatabaseFile, removeFolders } from '../../support/temporary-folder';

const key = 'a-key-for-the-terminal';

const textOf = (line: object, options: Partial<Parameters<typeof terminalText>[0]> = {}): string =>
  terminalText({ style: (_format, text) => text, showsAssets: false, showsAnnounced: true, ...options })(
    JSON.stringify({ level: 'info', time: '2026-11-26T01:02:03.456Z', ...line }),
  ).replace(/^\d\d:\d\d:\d\d /, 'TIME ');

const request = { msg: 'request', method: 'GET', path: '/v1/pets', status: 200, milliseconds: 1.7 };

describe('The log at a terminal', () => {
  it('has a short line for a request', () => {
    expect(textOf(request)).to.equal('TIME  200     2 ms  GET  /v1/pets\n');
    expect(textOf({ ...request, method: 'POST', status: 201, milliseconds: 1_234 })).to.equal(
      'TIME  201  1234 ms  POST /v1/pets\n',
    );
    const refused = { status: 401, code: 'unauthorized', reason: 'missing_key' };
    expect(textOf({ ...request, ...refused })).to.equal(
      'TIME  401     2 ms  GET  /v1/pets  unauthorized (missing_key)\n',
    );
    expect(textOf({ msg: 'rejected', status: 400, code: 'malformed_request', requestId: 'x' })).to.equal(
      'TIME  400           malformed_request\n',
    );
  });

  it('colours the status', () => {
    const style = (format: string, text: string): string => `<${format}>${text}</${format}>`;
    for (const [status, format] of [
      [200, 'green'],
      [404, 'yellow'],
      [503, 'red'],
    ] as const)
      expect(textOf({ ...request, status }, { style })).to.include(`<${format}>${status}</${format}>`);
  });

  it('has the files of the API reference only at the level debug, unless one is missing', () => {
    const asset = { ...request, path: '/docs/theme.css', route: '/docs/theme.css' };
    expect(textOf(asset)).to.equal('');
    expect(textOf({ ...asset, status: 404 })).to.include('404');
    expect(textOf(asset, { showsAssets: true })).to.include('200     2 ms  GET  /docs/theme.css');
  });

  it('has other lines without JSON, and the level of warnings and errors', () => {
    expect(textOf({ msg: 'stopping', signal: 'SIGINT', stopDelayMs: 0 })).to.equal('TIME  stopping\n');
    expect(textOf({ level: 'warn', msg: 'not ready', reason: 'a full disk' })).to.equal(
      'TIME  warning: not ready: a full disk\n',
    );
    const err = { type: 'Error', message: 'a', stack: 'b' };
    expect(textOf({ level: 'error', msg: 'failed', err, advice: 'free space' })).to.match(
      /^TIME {2}error: failed; free space/,
    );
  });

  it('escapes characters that move the cursor or reverse text', () => {
    const path = '/\x9b2J\x1b[2J\u202e\u2028';
    for (const line of [
      { ...request, path },
      { msg: 'a\x9bb', path, err: { stack: path } },
    ])
      expect(textOf(line)).to.not.match(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}]/u);
  });
});

describe('A service at a real terminal', () => {
  needsPrograms('script');
  afterEach(killPrograms);
  afterEach(removeFolders);

  /** Starts the service at a terminal of 80 columns, and returns what it shows once it serves. */
  const start = async (environment: Environment) => {
    const terminal = startAtTerminal(`exec ${process.execPath} ${main} serve`, {
      environment: { PORT: '0', NO_COLOR: '1', ...environment },
    });
    await eventually('a banner', 30_000, () =>
      /Keys {7}(?:those|\d|[^]*-d ).*\r\n\r\n/.test(stripVTControlCharacters(terminal.stdout())),
    );
    const banner = terminal.stdout().replaceAll('\r', '').trimEnd().split('\n');
    const address = /API {8}(\S+)\/v1\/pets/.exec(banner.join('\n'))?.[1] ?? '';
    return {
      banner,
      address,
      shows: (pattern: RegExp) => eventually(String(pattern), 20_000, () => pattern.test(terminal.stdout())),
      pressCtrlC: () => terminal.stdin.write('\x03'),
      ended: terminal.ended,
    };
  };

  it('says in fewer than 80 columns where it is, also under npx, and shows a first key once', async () => {
    const file = await newDatabaseFile();
    const environment = { DATABASE_URL: `sqlite:${file}`, npm_command: 'exec' };
    const first = await start(environment);
    const { address, banner } = first;
    const key = /API_KEY=(\S+)/.exec(banner.join('\n'))?.[1] ?? '';
    expect(banner).to.deep.equal([
      `animal-store ${builtVersion()}, Ctrl-C stops`,
      '',
      `API        ${address}/v1/pets`,
      `Reference  ${address}/docs`,
      `Data       sqlite:${file}`,
      'Keys       shown once; `npx animal-store keys create --name NAME` adds more',
      '',
      'Page, with this key:',
      `${address}/#key=${key}`,
      '',
      'Add an animal, in another terminal:',
      ...firstCommands(address, key),
    ]);
    for (const line of banner.filter((line) => !line.includes(key)))
      expect(line.length, line).to.be.at.most(80);
    expect((await call(`${address}/v1/pets`, { key })).status).to.equal(200);
    first.pressCtrlC();
    await first.ended;

    const second = await start(environment);
    expect(second.banner.slice(2)).to.deep.equal([
      `API        ${second.address}/v1/pets`,
      `Page       ${second.address}`,
      `Reference  ${second.address}/docs`,
      `Data       sqlite:${file}`,
      'Keys       those you have; `npx animal-store keys create --name NAME` adds more',
    ]);
  });

  it('puts the key into no link that other machines could follow, and offers no keys that memory would lose', async () => {
    const { banner } = await start({ DATABASE_URL: 'memory:', HOST: '0.0.0.0' });
    const text = banner.join('\n');
    expect(text).to.include('export API_KEY=').and.not.include('#key');
    expect(text).to.include('Keys       shown once; lost at the stop\n').and.not.include('keys create');
  });

  it('shows a line for each request, and stops at Ctrl-C', async () => {
    const { address, shows, pressCtrlC, ended } = await start({ DATABASE_URL: 'memory:', API_KEYS: key });
    await call(`${address}/v1/pets?limit=3`, { key });
    await shows(/^\d\d:\d\d:\d\d {2}200 +\d+ ms {2}GET {2}\/v1\/pets\r$/m);
    pressCtrlC();
    const { code, stdout } = await ended;
    expect(stdout).to.match(/stopping; press Ctrl-C again to end at once\r\n\d\d:\d\d:\d\d {2}stopped\r\n/);
    expect(stdout).to.not.include('"started"').and.not.include('  started');
    expect(code).to.equal(0);
  });

  it('colours what is right, doubtful and wrong alike in doctor, warnings and errors', async () => {
    const run = async (command: string): Promise<string> => {
      const terminal = startAtTerminal(`exec ${process.execPath} ${main} ${command}`, {
        environment: { DATABASE_URL: 'memory:', API_KEYS: 'short', HOST: '203.0.113.1' },
      });
      return (await terminal.ended).stdout;
    };
    expect(await run('doctor'))
      .to.include('\x1b[32mok  \x1b[39m')
      .and.include('\x1b[33mWARN\x1b[39m')
      .and.include('\x1b[31mFAIL\x1b[39m');
    expect(await run('serve'))
      .to.include('\x1b[33mwarning\x1b[39m: ')
      .and.include("\x1b[31merror\x1b[39m: can't listen");
  });

  it('uses colours, unless NO_COLOR is set', async () => {
    const environment = { DATABASE_URL: 'memory:', API_KEYS: key };
    expect((await start({ ...environment, NO_COLOR: '' })).banner.join()).to.include('\x1b[');
    expect((await start(environment)).banner.join()).to.not.include('\x1b[');
  });
});
