import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { join } from 'node:path';
import { parsePostgresUrl } from '../../../app/settings/postgres-url';
import { createPostgresDatabase, execute } from '../../support/postgres/postgres';
import { newPostgresServer } from '../../support/postgres/postgres-server';
import { runInProcess } from '../../support/processes/run-in-process';
import { inFolder } from '../../support/temporary-folder';

const accepted: ReadonlyArray<readonly [text: string, connectionString: string]> = [
  ['postgresql://', 'postgres://localhost'],
  ['postgres:///animals', 'postgres://localhost/animals'],
  ['POSTGRES://me@/animals?host=/run', 'postgres://me@%2Frun/animals'],
  ['postgres://host', 'postgres://host'],
  ['postgres://me@host:5433/animals', 'postgres://me@host:5433/animals'],
  ['postgres://me:a%2Fb@host/animals', 'postgres://me:a%2Fb@host/animals'],
  ['postgres://me:a@b@host/animals', 'postgres://me:a%40b@host/animals'],
  ['postgres://[::1]:5433/animals', 'postgres://[::1]:5433/animals'],
  [
    'postgresql://me:secret@/animals?host=/run/postgresql',
    'postgres://me:secret@%2Frun%2Fpostgresql/animals',
  ],
  ['postgresql:///animals?host=/run/postgresql&port=5433', 'postgres://%2Frun%2Fpostgresql:5433/animals'],
  ['postgresql://?host=/run/postgresql&dbname=animals', 'postgres://%2Frun%2Fpostgresql/animals'],
  ['postgres://%2Frun%2Fpostgresql/animals', 'postgres://%2Frun%2Fpostgresql/animals'],
  ['postgres://host/animals?host=&port=', 'postgres://host/animals'],
  ['postgres://host/old?user=me&password=secret&dbname=new', 'postgres://me:secret@host/new'],
  [
    'postgres://host/animals?options=-c%20search_path%3Dzoo&application_name=shop',
    'postgres://host/animals?options=-c+search_path%3Dzoo&application_name=shop',
  ],
  ['postgres://me:a+b@host/a%26b%40c+d%2Fe', 'postgres://me:a+b@host/a&b@c+d/e'],
  ['postgres://host/%2526%25', 'postgres://host/%2526%25'],
  ['postgres://host?user=a+b&password=c+d&dbname=e+%26f', 'postgres://a%2Bb:c%2Bd@host/e+&f'],
  ['postgres://host/a?application_name=a+b', 'postgres://host/a?application_name=a%2Bb'],
  ['postgres://host/animals?sslmode=disable', 'postgres://host/animals?sslmode=disable'],
  ['postgres://host/animals?sslmode=no-verify', 'postgres://host/animals?sslmode=no-verify'],
  [
    'postgres://host/animals?sslrootcert=/ca.pem&sslmode=no-verify',
    'postgres://host/animals?sslrootcert=%2Fca.pem&sslmode=no-verify',
  ],
  [
    'postgres://host/animals?sslrootcert=/ca.pem',
    'postgres://host/animals?sslrootcert=%2Fca.pem&sslmode=verify-full',
  ],
  ...[
    'sslrootcert=system',
    'sslmode=verify-full&sslrootcert=system',
    'sslmode=allow',
    'sslmode=prefer',
    'sslmode=require',
    'sslmode=verify-ca',
    'ssl=true',
  ].map(
    (mode) => [`postgres://host/animals?${mode}`, 'postgres://host/animals?sslmode=verify-full'] as const,
  ),
];

const bound = 'postgres://host/animals?sslmode=verify-full&enableChannelBinding=true';

const impliedByService = [
  ...[
    'channel_binding=prefer',
    'connect_timeout=10',
    'target_session_attrs=read-write',
    'client_encoding=UTF8',
  ],
  ...['keepalives=1', 'keepalives_idle=30', 'gssencmode=disable'],
];

const refused: ReadonlyArray<readonly [text: string, expected: RegExp]> = [
  ...['Require', 'verify_full', ''].map(
    (mode) => [`postgres://host/animals?sslmode=${mode}`, /^an address whose sslmode is disable,/] as const,
  ),
  ['postgres://host/animals?hostaddr=::1', /^without the parameter hostaddr, which this service does not/],
  [
    'postgres://host/animals?target_session_attrs=standby',
    /^without this value of the parameter target_session_attrs/,
  ],
  ['postgres://host/animals?client_encoding=LATIN1', /^without this value of the parameter client_encoding/],
  ...['disable', 'no-verify'].map(
    (mode) =>
      [
        `postgres://host/animals?sslmode=${mode}&channel_binding=require`,
        /^an address whose sslmode verifies the server, as channel_binding=require asks$/,
      ] as const,
  ),
  ['postgres://host/animals?channel_binding=always', /^without this value of the parameter channel_binding/],
  ...['a%23b', 'a%3Fb'].map(
    (name) => [`postgres://host/${name}`, /^an address whose database name has no \? or #$/] as const,
  ),
  ['postgres://host/animals?gssencmode=require', /^without this value of the parameter gssencmode/],
  ['postgres://host/animals?query_timeout=1', /does not support; the parameters are host, /],
  ['postgres://host/animals?sslMode=secret', /^without the parameter sslMode, .*, sslmode,/],
  ['postgres://host/animals?schema=secret', /^without the parameter schema, /],
  ['postgres://host:0/animals', /^an address whose port is from 1 to 65535$/],
  ['postgres://host/animals?ssl=no-verify', /^without the parameter ssl,/],
  ['postgres://host/animals?constructor=1', /^without the parameter constructor,/],
  ...[
    ...['me:1/secret@host/animals', 'me:1#secret@host/animals', 'me:1?secret@host/animals', 'host/%zz'],
    ...['a:1,b:2', 'a,b', 'a/animals?host=a,b', 'host:65536', 'host/animals?port=x'],
  ].map(
    (address) =>
      [
        `postgres://${address}`,
        /^postgres:\/\/USER.*with one host, of the primary or a proxy; percent-encode/,
      ] as const,
  ),
];

describe('An address of PostgreSQL', () => {
  for (const [text, connectionString] of accepted) {
    it(`is accepted in each form that psql takes: ${text}`, () => {
      expect(parsePostgresUrl(text)).to.deep.equal(E.right(connectionString));
    });
  }

  it('has TLS if channel binding is required', () => {
    for (const mode of ['', '&sslmode=require'])
      expect(parsePostgresUrl(`postgres://host/animals?channel_binding=require${mode}`)).to.deep.equal(
        E.right(bound),
      );
  });

  it('may have the parameters of providers that this service honours anyway', () => {
    const address = `postgres://host/animals?sslmode=require&${impliedByService.join('&')}`;
    expect(parsePostgresUrl(address)).to.deep.equal(E.right('postgres://host/animals?sslmode=verify-full'));
  });

  for (const [text, expected] of refused) {
    it(`is refused, without its values: ${text}`, () => {
      const parsed = parsePostgresUrl(text);
      expect(E.isLeft(parsed) ? parsed.left : '')
        .to.match(expected)
        .and.not.include('secret');
    });
  }

  it('names the same database as in psql', async () => {
    const { url, drop } = await createPostgresDatabase();
    const name = `${new URL(url).pathname.slice(1)}a&b+c@d/%26`;
    await execute(url, `create database "${name}"`);
    try {
      for (const place of [`/${encodeURIComponent(name)}`, `?dbname=${encodeURIComponent(name)}`]) {
        const { code, stderr } = await runInProcess(['migrate'], { DATABASE_URL: new URL(place, url).href });
        expect(code, stderr).to.equal(0);
      }
    } finally {
      await execute(url, `drop database "${name}"`);
      await drop();
    }
  });

  it('reaches a server through its Unix socket', () =>
    inFolder(async (parent) => {
      const folder = join(parent, 'data');
      const server = await newPostgresServer(parent, [`unix_socket_directories=${folder}`]);
      await server.start();
      try {
        for (const address of [
          `postgresql://postgres:postgres@/postgres?host=${folder}&port=${server.port}`,
          `postgresql://postgres:postgres@${encodeURIComponent(folder)}:${server.port}/postgres`,
        ]) {
          const { code, stderr } = await runInProcess(['migrate'], { DATABASE_URL: address });
          expect(code, stderr).to.equal(0);
        }
      } finally {
        await server.stop();
      }
    }));
});
