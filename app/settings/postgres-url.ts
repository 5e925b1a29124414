/*
 * Reads the address of PostgreSQL in DATABASE_URL, in the form that psql takes (libpq, "Connection URIs"). Rejects
 * unknown parameters, because the driver would ignore them, and could connect without TLS or to another schema.
 */

import * as E from 'fp-ts/Either';

/** Parameters that can also be written as a part of the address, with the property of `URL` for that part. */
const places = { host: 'hostname', port: 'port', user: 'username', password: 'password' } as const;

const certificateParameters = ['sslrootcert', 'sslcert', 'sslkey'];

/**
 * Parameters that providers add to their addresses, with the values that this service accepts. The service then removes
 * them, because it needs a server that accepts writes anyway, and has its own time limits.
 */
const impliedParameters: Readonly<Record<string, RegExp>> = {
  channel_binding: /^(?:disable|prefer|require|)$/,
  client_encoding: /^(?:utf-?8|auto|)$/i,
  connect_timeout: /^/,
  gssencmode: /^(?:disable|prefer|)$/,
  keepalives: /^/,
  keepalives_count: /^/,
  keepalives_idle: /^/,
  keepalives_interval: /^/,
  target_session_attrs: /^(?:read-write|primary|any|)$/,
  tcp_user_timeout: /^/,
};

const parameters = [
  ...[...Object.keys(places), 'dbname'],
  ...['options', 'application_name', 'fallback_application_name'],
  ...['sslmode', ...certificateParameters, 'sslnegotiation'],
];

/** Modes in which psql may encrypt. This service encrypts, and verifies the server, in all of them. */
const encryptingModes = ['allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

const sslModes = ['disable', 'no-verify', ...encryptingModes];

const invalid =
  'postgres://USER:PASSWORD@HOST:PORT/DATABASE with one host, of the primary or a proxy; percent-encode / ? # and @ in the password';

const withoutHost = /^postgres:\/\/([^/?#]*@)?(?=(?::\d*)?(?:[/?]|$))/i;

const parseUrl = (text: string): URL | undefined => {
  try {
    decodeURIComponent(text);
    return new URL(
      text
        .replace(/^postgresql:/i, 'postgres:')
        .replace(withoutHost, 'postgres://$1localhost')
        .replace(/([?&])ssl=true(?=&|$)/, '$1sslmode=require')
        // psql does not take a plus sign for a blank.
        .replace(/\?.*$/s, (query) => query.replaceAll('+', '%2B')),
    );
  } catch {
    return undefined;
  }
};

/**
 * Turns an address in the form of psql into one that the driver accepts. For example, the driver ignores psql's
 * parameter `dbname`. The driver and `libpqEnvironment` decode each part of the result alike. Fails with a text that
 * describes a valid address, and contains no value of the given one, such as its password.
 */
export const parsePostgresUrl = (text: string): E.Either<string, string> => {
  const url = parseUrl(text);
  if (url === undefined) return E.left(invalid);
  // Rejects an @ after the host and a #. They suggest an unescaped /, ? or # in the password, and an error about an
  // unknown parameter could then show a part of the password.
  if (`${url.pathname}${url.search}`.includes('@') || url.hash !== '') return E.left(invalid);
  const { searchParams } = url;
  // If a parameter is repeated, the last value counts, as in libpq.
  for (const [name, value] of [...searchParams]) searchParams.set(name, value);
  const bindsChannel = searchParams.get('channel_binding') === 'require';
  for (const [name, value] of [...searchParams]) {
    if (impliedParameters[name]?.test(value) === true) searchParams.delete(name);
    else if (!parameters.includes(name))
      return E.left(
        `without ${Object.hasOwn(impliedParameters, name) ? 'this value of ' : ''}the parameter ${name}, which this service does not support; the parameters are ${parameters.join(', ')}`,
      );
  }
  const valueOf = (name: string): string => searchParams.get(name) ?? '';
  const port = valueOf('port');
  for (const [name, place] of Object.entries(places)) {
    const value = valueOf(name);
    if (value !== '') url[place] = encodeURIComponent(value);
    searchParams.delete(name);
  }
  const database = valueOf('dbname') || decodeURIComponent(url.pathname.slice(1));
  searchParams.delete('dbname');
  // The driver decodes a name with `decodeURI`, which leaves an escaped ? or # as it is.
  if (/[?#]/.test(database)) return E.left('an address whose database name has no ? or #');
  if (database !== '') url.pathname = encodeURI(database);
  if (/,|%2C/.test(url.hostname) || (port !== '' && port !== url.port)) return E.left(invalid);
  if (url.port === '0') return E.left('an address whose port is from 1 to 65535');
  // A certificate parameter or `channel_binding=require` without `sslmode` means `verify-full`. Removes
  // `sslrootcert=system`, because the driver would read a file named `system`.
  const hasCertificate = certificateParameters.some((name) => searchParams.has(name));
  if ((hasCertificate || bindsChannel) && !searchParams.has('sslmode'))
    searchParams.set('sslmode', 'verify-full');
  if (valueOf('sslrootcert') === 'system') searchParams.delete('sslrootcert');
  if (!searchParams.has('sslmode')) return E.right(url.href);
  const sslMode = valueOf('sslmode');
  if (!sslModes.includes(sslMode)) return E.left(`an address whose sslmode is ${sslModes.join(', ')}`);
  const isVerified = encryptingModes.includes(sslMode);
  searchParams.set('sslmode', isVerified ? 'verify-full' : sslMode);
  if (!bindsChannel) return E.right(url.href);
  searchParams.set('enableChannelBinding', 'true');
  return isVerified
    ? E.right(url.href)
    : E.left('an address whose sslmode verifies the server, as channel_binding=require asks');
};
