import { toError } from 'fp-ts/Either';
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { isSet } from './environment';
import { overlayVariables } from './secrets';
import { isProduction } from './settings';

const dotEnv = '.env';

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
    printMessage(`${dotEnv} was not read: ${toError(error).message}`, 'warning');
  }
};
