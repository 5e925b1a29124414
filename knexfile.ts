/* Configuration for Knex's own commands, as in `npm run knex -- migrate:list`. The service does not read it. */

import * as E from 'fp-ts/Either';
import type { Knex } from 'knex';
import { databaseOf } from './app/backend/database';
import { readSettings } from './app/settings';
import { fieldErrorTexts } from './core';

const configuration = (): Knex.Config => {
  const settings = readSettings(process.env);
  if (E.isLeft(settings)) throw new Error(fieldErrorTexts(settings.left).join('\n'));
  return databaseOf(settings.right).configuration();
};

export default configuration();
