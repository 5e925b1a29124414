/* Configuration for Knex's own commands, as in `npm run knex -- migrate:list`. The service does not read it. */

import * as E from 'fp-ts/Either';
import type { Knex } from 'knex';
import { reasonOf } from './app/failures';
import { knexConfiguration } from './app/store/database';
import { readDotEnv } from './app/settings/environment-file';
import { readSettings } from './app/settings/settings';
import { messageText } from './app/terminal/terminal';
import { invalidFieldTexts } from './core';

const configuration = (): Knex.Config => {
  const env = { ...process.env };
  readDotEnv(env, (text, kind) => process.stderr.write(`${messageText(text, kind)}\n`));
  const settings = readSettings(env);
  if (E.isLeft(settings)) throw new Error(invalidFieldTexts(settings.left).join('\n'));
  try {
    return knexConfiguration(settings.right);
  } catch (error) {
    throw new Error(reasonOf(error, settings.right.DATABASE_URL), { cause: error });
  }
};

export default configuration();
