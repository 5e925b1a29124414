import { expect } from 'chai';
import { readVersion } from '../../../app/commands/run-command';
import { terminalText } from '../../../app/serve/terminal-log';
import { eventually } from '../../support/eventually';
import { call } from '../../support/http/client';
import { type Environment, killPrograms, main } from '../../support/processes/command';
import { needsPrograms } from '../../support/processes/system';
import { startAtTerminal } from '../../support/processes/terminal';
import { newDatabaseFile, removeFolders } from '../../support/temporary-folder';

const key = 'a-key-for-the-terminal';

const textOf = (line: object, options: Partial<Parameters<typeof terminalText>[0]> = {}): string =>
  terminalText({ style: (_format, text) => text, showsAssets: false, showsStart: true, ...options })(
    JSON.stringify({ level: 'info', time: '2026-11-26T01:02:03.456Z', ...line }),
  ).replace(/^\d\d:\d\d:\d\d /, 'TIME ');

const request = { msg: 'request', method: 'GET', path: '/v1/pets', status: 200, milliseconds: 1.7 };

describe('The log at a terminal', () => {
  it('has a short line for a request', () => {
    expect(textOf(request)).to.equal('TIME  GET /v1/pets  200  2 ms\n');
    const refused = { status: 401, code: 'unauthorized', reason: 'missing_key' };
    expect(textOf({ ...request, ...refused })).to.equal(
      'TIME  GET /v1/pets  401 unauthorized (missing_key)  2 ms\n',
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
    const asset = { ...request, path: '/docs/page.css', route: '/docs/page.css' };
    expect(textOf(asset)).to.equal('');
    expect(textOf({ ...asset, status: 404 })).to.include('404');
    expect(textOf(asset, { showsAssets: true })).to.include('GET /docs/page.css  200');
  });

  it('has other lines with their fields, and the level of warnings and errors', () => {
    expect(textOf({ msg: 'stopping', signal: 'SIGINT' })).to.equal('TIME  stopping {"signal":"SIGINT"}\n');
    expect(textOf({ level: 'warn', msg: 'not ready' })).to.equal('TIME  warning: not ready\n');
    expect(
      textOf({ level: 'error', msg: 'failed', err: { type: 'Error', message: 'a', stack: 'b' } }),
    ).to.match(/^TIME {2}error: failed/);
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
    await eventually('a line to try', 30_000, () => /Try it .*\r\n/.test(terminal.stdout()));
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

  it('says in eight lines where it is, with a key that is shown once, and a line that works', async () => {
    const file = await newDatabaseFile();
    const first = await start({ DATABASE_URL: `sqlite:${file}` });
    const { address, banner } = first;
    const key = /API key {4}(\S+)/.exec(banner.join('\n'))?.[1] ?? '';
    expect(banner).to.deep.equal([
      `animal-store ${readVersion()}, Ctrl-C stops`,
      `API        ${address}/v1/pets`,
      `Pages      ${address} and ${address}/docs`,
      `Data       sqlite:${file}`,
      `API key    ${key}`,
      '           shown only now; `animal-store keys create --name NAME` creates more',
      `Try it     curl -H 'Authorization: Bearer ${key}' ${address}/v1/pets`,
    ]);
    for (const line of banner.slice(0, -1)) expect(line.length, line).to.be.at.most(80);
    expect((await call(`${address}/v1/pets`, { key })).status).to.equal(200);
    first.pressCtrlC();
    await first.ended;

    const second = await start({ DATABASE_URL: `sqlite:${file}` });
    expect(second.banner.join('\n'))
      .to.include('API key    a key that you have; `animal-store keys create --name NAME` creates more')
      .and.include(`Try it     curl ${second.address}/readyz`)
      .and.not.include(key);
  });

  it('shows a line for each request, and stops at Ctrl-C', async () => {
    const { address, shows, pressCtrlC, ended } = await start({ DATABASE_URL: 'memory:', API_KEYS: key });
    await call(`${address}/v1/pets?limit=3`, { key });
    await shows(/^\d\d:\d\d:\d\d {2}GET \/v1\/pets {2}200 {2}\d+ ms\r$/m);
    pressCtrlC();
    const { code, stdout } = await ended;
    expect(stdout).to.match(/stopping; press Ctrl-C again to end at once\r\n[^]* {2}stopped\r\n/);
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
      .and.include("\x1b[31manimal-store\x1b[39m: can't listen");
  });

  it('uses colours, unless NO_COLOR is set', async () => {
    const environment = { DATABASE_URL: 'memory:', API_KEYS: key };
    expect((await start({ ...environment, NO_COLOR: '' })).banner.join()).to.include('\x1b[');
    expect((await start(environment)).banner.join()).to.not.include('\x1b[');
  });
});
