import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { decodeSettings, readSettings, settingNames } from '../../../app/settings/settings';
import { projectFolder, runCommand } from '../../support/processes/command';
import { makeFolder, removeFolders } from '../../support/temporary-folder';
import { defaults } from './default-settings';

const wrong: Readonly<Record<string, ReadonlyArray<string>>> = {
  PORT: ['65536', '-1', '3000.0', '1e3', '0x50', 'http', '080000000000'],
  ADMIN_PORT: ['65536', '-1', '9464x', 'none'],
  DATABASE_URL: [
    'memory',
    'sqlite:',
    'sqlite::memory:',
    'mysql://host/animals',
    '/var/lib/animals.sqlite3',
    'sqlite:animals.sqlite3/',
    'sqlite://animals.sqlite3',
    'postgres://[host/animals',
    ...['?mode=rwc', '#x', '%2Fa.db'].map((ending) => `sqlite:animals.sqlite3${ending}`),
    ...['file:animals.sqlite3', '~/animals.sqlite3', '$HOME/animals.sqlite3', ' a.db'].map(
      (file) => `sqlite:${file}`,
    ),
  ],
  API_KEYS: ['one,,two', 'two words', 'clé', ',', 'a=b'],
  LOG_LEVEL: ['loud', 'INFO', 'toString', '__proto__'],
  CORS_ORIGIN: [
    ...['shop.example', 'https://', 'https://shop.example/', 'https://shop.example/path', 'null', 'ftp//x'],
    ...['https://shop.example?query', 'https://user:secret@shop.example', 'https://shop.example:99999'],
    ...['https://*.shop.example', 'https://shop.example,,https://other.example', 'https://shop.example,*'],
  ],
  NODE_ENV: ['prod', 'Production'],
  MAX_CONNECTIONS: ['0', '1000001'],
  TRUST_PROXY: ['-1', '101', 'true', '127.0.0.1'],
  RATE_LIMIT: ['100', '100/60', '0/60s', '100/0s', '100/1m', '1e2/60s', '-1/60s', '1.5/60s'],
  KEEP_ALIVE_SECONDS: ['0', '3601', '65s'],
  STOP_DELAY: ['-1', '600001', '1m'],
  IDEMPOTENCY_HOURS: ['0', '169', '1.5'],
  POSTGRES_POOL_SIZE: ['0', '1001', 'ten'],
};

const right: ReadonlyArray<readonly [string, string, unknown]> = [
  ['PORT', '0', 0],
  ['PORT', '65535', 65535],
  ['PORT', ' 80\r', 80],
  ['HOST', '::1', '::1'],
  ['ADMIN_PORT', '0', 0],
  ['ADMIN_PORT', '9464', 9464],
  ['ADMIN_HOST', '0.0.0.0', '0.0.0.0'],
  ['DATABASE_URL', 'memory:', { _tag: 'Memory' }],
  ['DATABASE_URL', 'sqlite:a b:c.db ', { _tag: 'Sqlite', filename: 'a b:c.db' }],
  ['DATABASE_URL', 'postgresql://h/d', { _tag: 'Postgres', connectionString: 'postgres://h/d' }],
  ['API_KEYS', 'one, two ,three==', ['one', 'two', 'three==']],
  ['API_KEYS', 'one,two,one', ['one', 'two']],
  ['API_KEYS', 'one,', ['one']],
  ['CORS_ORIGIN', ' *', ['*']],
  ['CORS_ORIGIN', 'https://shop.example,\nhttp://a,', ['https://shop.example', 'http://a']],
  ['CORS_ORIGIN', 'https://shop.example', ['https://shop.example']],
  [
    'CORS_ORIGIN',
    'https://shop.example , http://localhost:5173',
    ['https://shop.example', 'http://localhost:5173'],
  ],
  ['CORS_ORIGIN', 'HTTPS://Shop.Example:443,http://a:80', ['https://shop.example', 'http://a']],
  ['CORS_ORIGIN', 'http://[::1]:8080', ['http://[::1]:8080']],
  ['CORS_ORIGIN', 'https://bücher.example', ['https://xn--bcher-kva.example']],
  ['CORS_ORIGIN', 'capacitor://localhost', ['capacitor://localhost']],
  ['LOG_LEVEL', 'silent', 'silent'],
  ['MAX_CONNECTIONS', '1', 1],
  ['TRUST_PROXY', '0', 0],
  ['TRUST_PROXY', '100', 100],
  ['RATE_LIMIT', '100/60s', { requests: 100, seconds: 60 }],
  ['NODE_ENV', 'production', 'production'],
];

describe('The settings', () => {
  afterEach(removeFolders);

  it('have defaults, and keep nothing else of the environment', () => {
    expect(decodeSettings({ PATH: '/bin', OTHER_SECRET: 'secret' })).to.deep.equal(E.right(defaults));
  });

  it('treat empty variables as not set', () => {
    const empty = Object.fromEntries(Object.keys(defaults).map((name) => [name, '']));
    expect(decodeSettings(empty)).to.deep.equal(E.right(defaults));
  });

  it('take an address of IPv6 with brackets, as in a URL', () => {
    for (const [text, address] of [
      ['[::]', '::'],
      ['[::1]', '::1'],
      ['::1', '::1'],
      ['[localhost]', '[localhost]'],
    ] as const)
      expect(decodeSettings({ HOST: text, ADMIN_HOST: text })).to.deep.include({
        right: { ...defaults, HOST: address, ADMIN_HOST: address },
      });
  });

  it('match the table of docs/configuration.md with its defaults', () => {
    const page = readFileSync(join(projectFolder, 'docs/configuration.md'), 'utf8');
    const rows = page.matchAll(/^\| `([A-Z_]+)` +\| (?:none|`([^`]+)`) +\|/gm);
    const written = [...rows].map(([, name = '', text = '']) => [name, text] as const);
    expect(written.map(([name]) => name)).to.have.members(settingNames);
    expect(decodeSettings(Object.fromEntries(written))).to.deep.equal(E.right(defaults));
    expect(written.filter(([, text]) => text === '').map(([name]) => name)).to.have.members(
      Object.entries(defaults).flatMap(([name, value]) =>
        value === undefined || (Array.isArray(value) && value.length === 0) ? [name] : [],
      ),
    );
  });

  it('take valid values', () => {
    for (const [name, text, value] of right) {
      const settings = E.right({ ...defaults, [name]: value });
      expect(decodeSettings({ [name]: text }), `${name}=${text}`).to.deep.equal(settings);
    }
  });

  for (const [name, texts] of Object.entries(wrong)) {
    it(`refuse an invalid ${name}, naming it and not its value`, () => {
      for (const text of texts) {
        const refused = decodeSettings({ [name]: text });
        const fields = E.isLeft(refused) ? refused.left.map(({ name }) => name) : [];
        expect(fields, text).to.deep.equal([name]);
      }
    });
  }

  it('refuse an admin port that is the port', () => {
    expect(decodeSettings({ PORT: '8080', ADMIN_PORT: '8080' })).to.deep.equal(
      E.left([{ name: 'ADMIN_PORT', rule: 'invalid', expected: 'another port than PORT' }]),
    );
    expect(E.isRight(decodeSettings({ PORT: '0', ADMIN_PORT: '0' }))).to.equal(true);
  });

  it('resolve `..` in the path of a file, as the kernel does where a link stands before it', async () => {
    const folder = await makeFolder();
    mkdirSync(join(folder, 'releases', '1'), { recursive: true });
    mkdirSync(join(folder, 'releases', 'data'));
    mkdirSync(join(folder, 'data'));
    symlinkSync(join('releases', '1'), join(folder, 'current'));
    for (const [name, file] of [
      ['current/../data/animals', 'releases/data/animals'],
      ['current/animals', 'current/animals'],
      ['none/../animals', 'animals'],
    ] as const) {
      const read = readSettings({ DATABASE_URL: `sqlite:${folder}/${name}` });
      const address = pipe(
        read,
        E.map(({ DATABASE_URL }) => DATABASE_URL),
      );
      expect(address).to.deep.equal(E.right({ _tag: 'Sqlite', filename: `${folder}/${file}` }));
    }
  });

  it('have the defaults by which deploy/check-ready.mjs finds the service', () => {
    const program = readFileSync(join(projectFolder, 'deploy/check-ready.mjs'), 'utf8');
    const [, host, port] = /\|\| '([\d.]+)'\)\n.*\|\| (\d+);/s.exec(program) ?? [];
    expect([host, Number(port)]).to.deep.equal([defaults.HOST, defaults.PORT]);
    expect(defaults.ADMIN_HOST).to.equal(defaults.HOST);
  });

  it('name the quotes that a container keeps around a value', () => {
    for (const [name, value] of [
      ['PORT', '"3000"'],
      ['DATABASE_URL', "'sqlite:animals.sqlite3'"],
      ['API_KEYS', '"one,two"'],
      ['NODE_ENV', '"production"'],
    ] as const) {
      const read = decodeSettings({ [name]: value });
      expect(E.isLeft(read) && read.left.map(({ expected }) => expected).join(), name).to.match(
        /, without quotes around it$/,
      );
    }
  });

  it('stop a command with every error before it opens anything', async () => {
    const folder = await makeFolder();
    const faults = Object.fromEntries(Object.entries(wrong).map(([name, [text = '']]) => [name, text]));
    const { code, stdout, stderr } = await runCommand(['serve'], faults, folder);
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    const named = stderr.match(/(?<=^error: )[A-Z_]+(?= must be .+$)/gm) ?? [];
    expect(named).to.have.members(Object.keys(wrong));
    expect(stderr.trimEnd().split('\n')).to.have.length(named.length);
    expect(readdirSync(folder)).to.deep.equal([]);
  });
});
