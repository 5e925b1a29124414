import { Command } from 'commander';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { migrate } from '../../adapters/knex';
import { print, runCommand } from '../run-command';
import { databaseFailed } from '../start-failure';
import { withDatabase } from '../with-database';

interface Options {
  readonly json?: boolean;
}

/** `animal-store migrate` */
export const migrateCommand = (): Command =>
  new Command('migrate')
    .description('bring the database up to date; `serve` does it as well')
    .option('--json', 'print the names of the migrations that ran as JSON')
    .action(({ json = false }: Options) =>
      runCommand(
        withDatabase((database) =>
          pipe(
            migrate(database),
            TE.bimap(databaseFailed, (ran) => {
              print(json, { ran }, ran.length === 0 ? 'up to date' : ran.join('\n'));
            }),
          ),
        ),
      ),
    );
