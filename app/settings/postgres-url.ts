/*
 * Reads the address of PostgreSQL in DATABASE_URL, in the form that psql takes (libpq, "Connection URIs"). Rejects
 * unknown parameters, because pg, the driver, would ignore them, and could connect without TLS or to another schema.
 */

import * as E from 'fp-ts/Either';
import { databaseTimeouts } from '../../adapters/knex';

/** Parameters that can also be written as a part of the address, with the property of `URL` for that part. */
const parts = { host: 'hostname', port: 'port', user: 'username', password: 'password' } as const;

const certificateParameters = ['sslrootcert', 'sslcert', 'sslkey'];

/**
 * Parameters that providers add to their addresses, with the values that this service accepts. The service then removes
 * them, because it needs a server that accepts writes anyway, and has its own time limits.
 */
const impliedParameters: ReadonlyMap<string, RegExp> = new Map([
  ['channel_binding', /^(?:disable|prefer|require|)$/],
  ['client_encoding', /^(?:utf-?8|auto|)$/i],
  ['connect_timeout', /^/],
  ['gssencmode', /^(?:disable|prefer|)$/],
  ['keepalives', /^/],
  ['keepalives_count', /^/],
  ['keepalives_idle', /^/],
  ['keepalives_interval', /^/],
  ['target_session_attrs', /^(?:read-write|primary|any|)$/],
  ['tcp_user_timeout', /^/],
]);

const supportedParameters = [
  ...[...Object.keys(parts), 'dbname'],
  ...['options', 'application_name', 'fallback_application_name'],
  ...['sslmode', ...certificateParameters, 'sslnegotiation'],
];

/** Modes in which psql may encrypt. This service encrypts, and verifies the server, in all of them. */
const encryptingModes = ['allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

const sslModes = ['disable', 'no-verify', ...encryptingModes];

const invalid =
  'postgres://USER:PASSWORD@HOST:PORT/DATABASE with one host, of the primary or a proxy; percent-encode / ? # and @ in the password';

/**
 * Turns an address in the form of psql into one that the driver accepts. The driver and `libpqEnvironment` decode each
 * part of the result alike. Fails with a description of a valid address, which contains no value of the given one, such
 * as its password.
 */
export const parsePostgresUrl = (text: string): E.Either<string, string> => {
  const url = splitAddress(text);
  if (url === undefined) return E.left(invalid);
  const fault = checkParameters(url) ?? moveParameters(url) ?? translateTls(url);
  if (fault !== undefined) return E.left(fault);
  for (const name of impliedParameters.keys()) url.searchParams.delete(name);
  return E.right(url.href);
};

const withoutHost = /^postgres:\/\/([^/?#]*@)?(?=(?::\d*)?(?:[/?]|$))/i;

/** Splits an address into parts and parameters. Returns undefined for an invalid one. */
const splitAddress = (text: string): URL | undefined => {
  try {
    decodeURIComponent(text);
    const url = new URL(
      text
        .replace(/^postgresql:/i, 'postgres:')
        .replace(withoutHost, 'postgres://$1localhost')
        .replace(/([?&])ssl=true(?=&|$)/, '$1sslmode=require')
        // Encodes plus signs, because `URLSearchParams` takes them for blanks, and psql does not.
        .replace(/\?.*$/s, (query) => query.replaceAll('+', '%2B')),
    );
    // Rejects an @ after the host and a #. They suggest an unescaped /, ? or # in the password. An error about an
    // unknown parameter could then show a part of it.
    if (`${url.pathname}${url.search}`.includes('@') || url.hash !== '') return undefined;
    // Keeps only the last value of a repeated parameter, as libpq does.
    for (const [name, value] of [...url.searchParams]) url.searchParams.set(name, value);
    return url;
  } catch {
    return undefined;
  }
};

/** Returns the fault of a parameter that this service does not support. */
const checkParameters = ({ searchParams }: URL): string | undefined => {
  for (const [name, value] of searchParams) {
    const accepted = impliedParameters.get(name);
    if (accepted?.test(value) === true || supportedParameters.includes(name)) continue;
    return `without ${accepted === undefined ? '' : 'this value of '}the parameter ${name}, which this service does not support; the parameters are ${supportedParameters.join(', ')}`;
  }
  return undefined;
};

const take = ({ searchParams }: URL, name: string): string => {
  const value = searchParams.get(name) ?? '';
  searchParams.delete(name);
  return value;
};

/** Moves parameters to the parts of the address, where the driver expects them. Returns the fault of a part. */
const moveParameters = (url: URL): string | undefined => {
  for (const [name, part] of Object.entries(parts)) {
    const value = take(url, name);
    if (value !== '') url[part] = encodeURIComponent(value);
    // Compares the port, because `URL` ignores an invalid one.
    if (name === 'port' && value !== '' && value !== url.port) return invalid;
  }
  const database = take(url, 'dbname') || decodeURIComponent(url.pathname.slice(1));
  // Rejects ? and #, because the driver decodes a name with `decodeURI`, which leaves both escaped.
  if (/[?#]/.test(database)) return 'an address whose database name has no ? or #';
  if (database !== '') url.pathname = encodeURI(database);
  if (/,|%2C/.test(url.hostname)) return invalid;
  return url.port === '0' ? 'an address whose port is from 1 to 65535' : undefined;
};

/** Translates the parameters of TLS for the driver. Returns the fault of an invalid parameter. */
const translateTls = ({ searchParams }: URL): string | undefined => {
  const bindsChannel = searchParams.get('channel_binding') === 'require';
  const verifies = bindsChannel || certificateParameters.some((name) => searchParams.has(name));
  const sslMode = searchParams.get('sslmode') ?? (verifies ? 'verify-full' : undefined);
  // Removes the value `system`, because the driver would read a file of this name.
  if (searchParams.get('sslrootcert') === 'system') searchParams.delete('sslrootcert');
  if (sslMode === undefined) return undefined;
  if (!sslModes.includes(sslMode)) return `an address whose sslmode is ${sslModes.join(', ')}`;
  const isVerified = encryptingModes.includes(sslMode);
  if (bindsChannel && !isVerified)
    return 'an address whose sslmode verifies the server, as channel_binding=require asks';
  searchParams.set('sslmode', isVerified ? 'verify-full' : sslMode);
  if (bindsChannel) searchParams.set('enableChannelBinding', 'true');
  return undefined;
};

/**
 * Translates an address of the driver to environment variables of libpq (PostgreSQL, "Environment Variables"). These
 * hide the password from other users, who can read the arguments of a process. `roots` names a file with the
 * certificates that Node trusts, and `noRoots` a file that does not exist.
 */
export const libpqEnvironment = (
  connectionString: string,
  { roots, noRoots }: { readonly roots: string; readonly noRoots: string },
): NodeJS.ReadOnlyDict<string> => {
  const { hostname, port, username, password, pathname, searchParams } = new URL(connectionString);
  const parameter = (name: string): string => searchParams.get(name) ?? '';
  const sslMode = parameter('sslmode');
  const variables = {
    PGHOST: decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1'),
    PGPORT: port,
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
    PGOPTIONS: parameter('options'),
    PGSSLMODE: { '': 'disable', 'no-verify': 'require' }[sslMode] ?? sslMode,
    // Names a missing file for `no-verify`: in the mode `require`, libpq would verify the server if the file existed.
    PGSSLROOTCERT: sslMode === 'no-verify' ? noRoots : parameter('sslrootcert') || roots,
    PGSSLCERT: parameter('sslcert'),
    PGSSLKEY: parameter('sslkey'),
    PGCHANNELBINDING: parameter('enableChannelBinding') === 'true' ? 'require' : '',
    PGSSLNEGOTIATION: parameter('sslnegotiation'),
    // Connects only to the primary, because a standby may lack animals that the primary has acknowledged.
    PGTARGETSESSIONATTRS: 'primary',
    PGCONNECT_TIMEOUT: String(databaseTimeouts.statementMs / 1_000),
  };
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
};
