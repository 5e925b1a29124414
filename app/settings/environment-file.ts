import * as E from 'fp-ts/Either';
import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { isSet } from './environment';
import { overlayVariables } from './secrets';
import { isProduction } from './settings';

/**
 * Outside production, reads `.env` in the current folder, or prints why it can't. Environment variables take
 * precedence, unless they are empty.
 */
export const readDotEnv = (
  env: NodeJS.Dict<string>,
  printMessage: (text: string, kind: 'info' | 'warning') => void,
): void => {
  if (isProduction(env) || !existsSync(dotEnv)) return;
  try {
    const variables: NodeJS.Dict<string> = parseEnv(readFileSync(dotEnv, 'utf8'));
    overlayVariables(variables, Object.fromEntries(Object.entries(env).filter(([name]) => isSet(env, name))));
    Object.assign(env, variables);
    printMessage(`settings: ${dotEnv} and the environment`, 'info');
  } catch (error) {
    printMessage(`${dotEnv} was not read: ${E.toError(error).message}`, 'warning');
  }
};

const dotEnv = '.env';

/**
 * Sets variables of `env` to those of a file. Throws if the file can't be read or parsed. Returns warnings about
 * variables that Node has read already, and about a database address in the environment that the file replaces.
 */
export const overrideByFile = (
  file: string,
  env: NodeJS.Dict<string>,
  processEnv: NodeJS.ReadOnlyDict<string>,
): ReadonlyArray<string> => {
  const parsed = parseEnvironmentFile(readFileSync(file));
  if (E.isLeft(parsed)) throw new Error(parsed.left);
  const variables = parsed.right;
  overlayVariables(env, variables);
  const late = Object.entries(readByNode).filter(
    ([name]) => variables[name] !== undefined && variables[name] !== processEnv[name],
  );
  const replaced = ['DATABASE_URL', 'DATABASE_URL_FILE'].filter(
    (name) => isSet(processEnv, name) && processEnv[name] !== env[name],
  );
  return [
    ...late.map(
      ([name, advice]) => `${name} in ${file} has no effect, because Node reads it when it starts; ${advice}`,
    ),
    ...replaced.map((name) => `${name} of the environment is ignored, because ${file} sets the address`),
  ];
};

/** Variables that Node reads only at startup, with advice on how to set them. */
const readByNode = {
  NODE_EXTRA_CA_CERTS: 'set sslrootcert in DATABASE_URL',
  NODE_USE_SYSTEM_CA: 'set sslrootcert in DATABASE_URL',
  NODE_OPTIONS: 'export it before this command, if the command needs it',
} as const;

/**
 * Parses a file of settings in the format of systemd's `EnvironmentFile=` (systemd.exec(5)). Fails at a line that
 * systemd would read in an unexpected way. For example, systemd gives `PORT=1 # port` the value `1 # port`.
 */
export const parseEnvironmentFile = (
  bytes: Uint8Array,
): E.Either<string, Readonly<Record<string, string>>> => {
  const text = Buffer.from(bytes).toString();
  if (!isUtf8(bytes) || /^\uFEFF|[\0\uFFFE\uFFFF]/.test(text))
    return E.left('the file must be UTF-8 without a byte order mark');
  const values: Array<readonly [name: string, value: string]> = [];
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    if (comment.test(line)) continue;
    const { name, single, double, plain } = assignment.exec(line)?.groups ?? {};
    if (name === undefined)
      return E.left(
        `line ${index + 1} is not NAME=value as systemd reads it; remove \`export\` and comments after a value, put a value with double quotes, backslashes or # in single quotes, and a value with single quotes in double quotes`,
      );
    values.push([name, single ?? double ?? plain ?? '']);
  }
  return E.right(Object.fromEntries(values));
};

const comment = /^[ \t]*(?:[#;].*)?(?<!\\)$/;

/** Matches an assignment. Its value is in quotes, or has no quote, no backslash and no `#` that begins a comment. */
const assignment =
  /^[ \t]*(?<name>[A-Za-z_]\w*)[ \t]*=[ \t]*(?:'(?<single>[^']*)'|"(?<double>[^"\\]*)"|(?!#)(?!.*[ \t]#)(?<plain>[^"'`\\]*?))[ \t]*$/;
