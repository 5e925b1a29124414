/*
 * PostgreSQL's addresses in DATABASE_URL, for database-address.ts. They have the form of psql (libpq, "Connection
 * URIs"). The driver would ignore a parameter that it doesn't know, and then connect without TLS or to another schema.
 */

import * as E from 'fp-ts/Either';
import { isOneEditApart } from './one-edit-apart';

const supported = [
  ...['host', 'port', 'user', 'password', 'dbname', 'options'],
  ...['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation'],
  ...['application_name', 'fallback_application_name'],
];

/** Parameters that libpq 18 knows ("Parameter Key Words") and this service does not support. */
const unsupported = [
  ...['authtype', 'channel_binding', 'client_encoding', 'connect_timeout', 'gssdelegation', 'gssencmode'],
  ...['gsslib', 'hostaddr', 'keepalives', 'keepalives_count', 'keepalives_idle', 'keepalives_interval'],
  ...['krbsrvname', 'load_balance_hosts', 'max_protocol_version', 'min_protocol_version'],
  ...['oauth_client_id', 'oauth_client_secret', 'oauth_issuer', 'oauth_scope', 'passfile', 'replication'],
  ...['require_auth', 'requirepeer', 'requiressl', 'scram_client_key', 'scram_server_key', 'service'],
  ...['servicefile', 'ssl_max_protocol_version', 'ssl_min_protocol_version', 'sslcertmode'],
  ...['sslcompression', 'sslcrl', 'sslcrldir', 'sslkeylogfile', 'sslpassword', 'sslsni'],
  ...['target_session_attrs', 'tcp_user_timeout', 'tty'],
];

const searchPath = 'options=-c%20search_path%3DSCHEMA';

/** Names of other drivers, without case, `_` and `-`. */
const aliases: NodeJS.ReadOnlyDict<string> = {
  tls: 'sslmode',
  schema: searchPath,
  currentschema: searchPath,
  searchpath: searchPath,
  username: 'user',
  database: 'dbname',
  sslca: 'sslrootcert',
};

const withoutSeparators = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, '');

const nearest = (unknown: string): string | undefined => {
  const name = withoutSeparators(unknown);
  return (
    supported.find((known) => withoutSeparators(known) === name) ??
    aliases[name] ??
    supported.find((known) => isOneEditApart(name, known))
  );
};

const parameterFault = (name: string): string | undefined => {
  if (supported.includes(name)) return undefined;
  if (unsupported.includes(name)) return `without the parameter ${name}, which this service does not support`;
  const meant = nearest(name);
  const remedy =
    meant === undefined ? `the parameters are ${supported.join(', ')}` : `did you mean ${meant}?`;
  return `without the parameter ${name}, which PostgreSQL does not know; ${remedy}`;
};

/** Modes of libpq, and the driver's `no-verify`. Those that may encrypt verify too, as the driver does. */
const sslModes: NodeJS.ReadOnlyDict<string> = {
  disable: 'disable',
  'no-verify': 'no-verify',
  allow: 'verify-full',
  prefer: 'verify-full',
  require: 'verify-full',
  'verify-ca': 'verify-full',
  'verify-full': 'verify-full',
};

const form =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^:/?#]*)(?::(?<password>[^/?#]*))?@)?(?:\[(?<ipv6>[\da-f:.]+)\]|(?<name>[^:/?#@[\]]*))(?::(?<port>\d*))?(?:\/(?<dbname>[^?#@]*))?(?:\?(?<search>[^#]*))?$/i;

const severalHosts = /^[^/]+:\/\/(?:[^@/?#]*@)?[^@/?#]*,[^@]*$/;

const oneHost = 'an address with one host, which is the primary or a proxy in front of the servers';

const invalid = 'postgres://USER:PASSWORD@HOST/DATABASE; percent-encode / ? # and @ in the password';

const hostText = (host: string): string => (host.includes(':') ? `[${host}]` : encodeURIComponent(host));

const connectionString = (values: ReadonlyMap<string, string>): string => {
  const text = (name: string, before = ''): string => {
    const value = values.get(name);
    return value === undefined ? '' : `${before}${encodeURIComponent(value)}`;
  };
  const login = `${text('user')}${text('password', ':')}`;
  const host = hostText(values.get('host') ?? 'localhost');
  const others = supported
    .slice(supported.indexOf('options'))
    .flatMap((name) => text(name, `${name}=`) || []);
  const search = others.length === 0 ? '' : `?${others.join('&')}`;
  return `postgres://${login === '' ? '' : `${login}@`}${host}${text('port', ':')}${text('dbname', '/')}${search}`;
};

const withSslMode = (values: ReadonlyMap<string, string>): E.Either<string, ReadonlyMap<string, string>> => {
  const given = values.get('sslmode');
  if (given === undefined) return E.right(values);
  const mode = sslModes[given];
  return mode === undefined
    ? E.left(`an address whose sslmode is ${Object.keys(sslModes).join(', ')}`)
    : E.right(new Map([...values, ['sslmode', mode]]));
};

const decode = (text: string): E.Either<string, ReadonlyMap<string, string>> => {
  const parts = form.exec(text)?.groups;
  if (parts === undefined) return E.left(severalHosts.test(text) ? oneHost : invalid);
  const { ipv6, name: host = ipv6, search = '', ...others } = parts;
  // An @ suggests that the password has a `?`. Names of parameters would then show parts of it.
  if (search.includes('@')) return E.left(invalid);
  const parameters = [...new URLSearchParams(search)].map(([name, value]) =>
    name === 'ssl' && value === 'true' ? (['sslmode', 'require'] as const) : ([name, value] as const),
  );
  for (const [name] of parameters) {
    const fault = parameterFault(name);
    if (fault !== undefined) return E.left(fault);
  }
  const values = Object.entries({ ...others, host }).map(
    ([name, value = '']) => [name, decodeURIComponent(value)] as const,
  );
  const given = [...values, ...parameters].filter(([name, value]) => value !== '' || name === 'sslmode');
  return withSslMode(new Map(given));
};

/**
 * Rewrites an address of psql to one that the driver accepts. For example, psql accepts a host in the parameter `host`.
 * For an invalid address, returns what it must be. This text contains no value of the address, such as the password.
 */
export const parsePostgresAddress = (text: string): E.Either<string, string> => {
  let decoded: E.Either<string, ReadonlyMap<string, string>>;
  try {
    decoded = decode(text);
  } catch {
    return E.left(invalid);
  }
  if (E.isLeft(decoded)) return decoded;
  const values = decoded.right;
  if (values.get('host')?.includes(',') === true) return E.left(oneHost);
  const port = values.get('port');
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536))
    return E.left('an address whose port is from 1 to 65535');
  return E.right(connectionString(values));
};
