import { databaseTimeouts } from '../../adapters/knex';

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
    // In the mode `require`, libpq verifies the server if this file exists. So `no-verify` gets a file that does not
    // exist.
    PGSSLROOTCERT: sslMode === 'no-verify' ? noRoots : parameter('sslrootcert') || roots,
    PGSSLCERT: parameter('sslcert'),
    PGSSLKEY: parameter('sslkey'),
    PGCHANNELBINDING: parameter('enableChannelBinding') === 'true' ? 'require' : '',
    PGSSLNEGOTIATION: parameter('sslnegotiation'),
    // A standby may lack animals that the primary has acknowledged.
    PGTARGETSESSIONATTRS: 'primary',
    PGCONNECT_TIMEOUT: String(databaseTimeouts.statementMs / 1_000),
  };
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
};
