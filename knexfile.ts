import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Knex } from 'knex';
import { databaseConfiguration } from './app/backend/database-configuration';
import { decodeSettings } from './app/settings/settings';
import { startFailureText } from './app/failures/start-failure';

const configuration: Knex.Config = pipe(
  decodeSettings(process.env),
  E.mapLeft((faults) => ({ _tag: 'InvalidSettings', faults }) as const),
  E.flatMap(databaseConfiguration),
  E.getOrElse((failure): Knex.Config => {
    throw new Error(startFailureText(failure));
  }),
);

export default configuration;
