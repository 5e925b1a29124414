/* Programs of PostgreSQL, such as pg_dump, which connect as the driver does. */

import { toError } from 'fp-ts/Either';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, rootCertificates } from 'node:tls';
import { promisify } from 'node:util';
import { errorCode } from '../../adapters/files/error-code';
import { databaseTimeouts } from '../../adapters/knex';
import { ignoredVariables } from '../settings/environment';
import { withTemporaryFolder } from './temporary-folder';

type Environment = NodeJS.ReadOnlyDict<string>;

/**
 * Translates an address of the driver to environment variables of libpq (PostgreSQL, "Environment Variables"). These
 * hide the password from other users, who can read the arguments of a process. `roots` names a file with the
 * certificates that Node trusts, and `noRoots` a file that does not exist.
 */
export const libpqEnvironment = (
  connectionString: string,
  { roots, noRoots }: { readonly roots: string; readonly noRoots: string },
): Environment => {
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

declare module 'node:tls' {
  // Exists since Node 22.15.
  const getCACertificates: ((type: 'default') => ReadonlyArray<string>) | undefined;
}

/** Returns the authorities that Node trusts, also those of NODE_EXTRA_CA_CERTS, as one PEM text. */
const trustedCertificates = async ({ NODE_EXTRA_CA_CERTS: file }: Environment): Promise<string> => {
  if (getCACertificates !== undefined) return getCACertificates('default').join('\n');
  const more = file === undefined || file === '' ? '' : await readFile(file, 'utf8').catch(() => '');
  return [...rootCertificates, more].join('\n');
};

export type RunTool = (program: string, programArguments: ReadonlyArray<string>) => Promise<string>;

const runTool =
  (env: NodeJS.ProcessEnv, signal: AbortSignal): RunTool =>
  async (program, programArguments) => {
    try {
      const { stdout } = await promisify(execFile)(program, programArguments, {
        env,
        signal,
        maxBuffer: 100_000_000,
      });
      return stdout;
    } catch (error) {
      if (errorCode(error) === 'ENOENT')
        throw new Error(`${program} is not installed; install the client programs of PostgreSQL`, {
          cause: error,
        });
      // Leaves out the first line, which repeats the command, and the complaint about an unreadable current folder,
      // which is harmless.
      const lines = toError(error).message.trim().split('\n').slice(1);
      const reasons = lines.filter((line) => !line.startsWith('could not change directory'));
      throw new Error(reasons.join('; ') || toError(error).message, { cause: error });
    }
  };

export interface ToolOptions {
  readonly signal: AbortSignal;
  readonly environment: Environment;
}

/** Calls `use` with a function that runs programs of PostgreSQL, which connect as the driver does. */
export const withTools = <A>(
  connectionString: string,
  { signal, environment }: ToolOptions,
  use: (run: RunTool) => Promise<A>,
): Promise<A> =>
  withTemporaryFolder(async (folder) => {
    const files = { roots: join(folder, 'roots'), noRoots: join(folder, 'none') };
    await writeFile(files.roots, await trustedCertificates(environment));
    const ignored = ignoredVariables(environment);
    const kept = Object.entries(environment).filter(([name]) => !ignored.includes(name));
    const connection = libpqEnvironment(connectionString, files);
    // Sets the language, because errors are matched by their English text.
    const env = { ...Object.fromEntries(kept), ...connection, LC_ALL: 'C' };
    return use(runTool(env, signal));
  });
