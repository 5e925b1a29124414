/* Programs of PostgreSQL, such as pg_dump, which connect as the driver does. */

import { toError } from 'fp-ts/Either';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, rootCertificates } from 'node:tls';
import { promisify } from 'node:util';
import { exceptionCode } from '../../adapters/failures/exception-code';
import { ignoredVariables } from '../settings/environment';
import { libpqEnvironment } from '../settings/postgres-url';
import { withTemporaryFolder } from './files';

type Environment = NodeJS.ReadOnlyDict<string>;

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
      if (exceptionCode(error) === 'ENOENT')
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
