import { toError } from 'fp-ts/Either';
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { promisify } from 'node:util';
import { type CopyOptions, createPartial, ownTables, resolveTarget } from '../../adapters/knex';
import { errorCode } from '../error-code';
import { CommandFailed } from '../failures';
import { ignoredVariables } from '../settings/warnings';

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
    // In the mode `require`, libpq verifies the server if this file exists.
    PGSSLROOTCERT: sslMode === 'no-verify' ? noRoots : parameter('sslrootcert') || roots,
    PGSSLCERT: parameter('sslcert'),
    PGSSLKEY: parameter('sslkey'),
    PGSSLNEGOTIATION: parameter('sslnegotiation'),
  };
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
};

/** Returns the authorities that Node trusts, its own and those of NODE_EXTRA_CA_CERTS, as one PEM text. */
const trustedCertificates = async ({ NODE_EXTRA_CA_CERTS: file }: Environment): Promise<string> => {
  const more = file === undefined || file === '' ? '' : await readFile(file, 'utf8').catch(() => '');
  return [...rootCertificates, more].join('\n');
};

const runTool = async (
  program: string,
  programArguments: ReadonlyArray<string>,
  options: { readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<string> => {
  try {
    const maxBuffer = 100_000_000;
    const { stdout } = await promisify(execFile)(program, programArguments, { ...options, maxBuffer });
    return stdout;
  } catch (error) {
    if (errorCode(error) === 'ENOENT')
      throw new Error(`${program} is not installed; install the client programs of PostgreSQL`, {
        cause: error,
      });
    // The first line of the message only repeats the command.
    const [, ...lines] = toError(error).message.trim().split('\n');
    throw new Error(lines.join('; ') || toError(error).message, { cause: error });
  }
};

const hasAnimals = / TABLE DATA \S+ pets /;

/**
 * Writes a dump of a PostgreSQL database to a file that only its owner can read, and reads it again, as a restore does.
 * Throws if `target` exists, unless `mayReplace`. Throws NotInitialized if the dump lacks the table of animals.
 */
export const backupPostgres = async (
  connectionString: string,
  target: string,
  { mayReplace, signal, environment, onStage }: CopyOptions & { readonly environment: Environment },
): Promise<void> => {
  const file = await resolveTarget(target, { mayReplace });
  const partial = createPartial(file);
  const folder = await mkdtemp(join(tmpdir(), 'animal-store-'));
  try {
    const files = { roots: join(folder, 'roots'), noRoots: join(folder, 'none') };
    await writeFile(files.roots, await trustedCertificates(environment));
    const inherited = Object.entries(environment).filter(
      ([name]) => !ignoredVariables(environment).includes(name),
    );
    const options = {
      env: { ...Object.fromEntries(inherited), ...libpqEnvironment(connectionString, files) },
      signal,
    };
    const size = (): number => statSync(partial, { throwIfNoEntry: false })?.size ?? 0;
    onStage?.('copying', () => ({ count: size(), noun: 'byte' }));
    // Names each table, because the database may have tables and extensions of others, which a restore can't make again.
    const tables = ownTables.map((name) => `--table=${name}`);
    await runTool('pg_dump', ['--format=custom', `--file=${partial}`, ...tables], options).catch(
      (error: unknown) => {
        throw toError(error).message.includes('no matching tables')
          ? new CommandFailed({ _tag: 'NotInitialized' })
          : error;
      },
    );
    onStage?.('checking');
    await runTool('pg_restore', ['--file=/dev/null', partial], options);
    if (!hasAnimals.test(await runTool('pg_restore', ['--list', partial], options)))
      throw new CommandFailed({ _tag: 'NotInitialized' });
    await rename(partial, file);
  } finally {
    await rm(partial, { force: true });
    await rm(folder, { recursive: true });
  }
};
