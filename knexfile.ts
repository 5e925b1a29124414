import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Knex } from 'knex';
import { databaseOf } from './app/backend/database-of';
import { readSettings } from './app/settings/read-settings';
import { type StartFailure, startFailureText } from './app/failures/start-failure';

const configuration: Knex.Config = pipe(
  readSettings(process.env),
  E.mapLeft((fieldErrors): StartFailure => ({ _tag: 'InvalidSettings', fieldErrors })),
  E.map(databaseOf),
  E.flatMap(E.fromNullable<StartFailure>({ _tag: 'NoDatabase' })),
  E.match(
    (failure): Knex.Config => {
      throw new Error(startFailureText(failure));
    },
    ({ configuration }) => configuration(),
  ),
);

export default configuration;
