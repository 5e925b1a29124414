import { Command, InvalidArgumentError, Option } from 'commander';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { ApiKeyRecord, ApiKeyRegister } from '../../adapters/knex';
import { databaseFailed, notMigrated, type StartFailure } from '../failures/start-failure';
import type { Terminal } from '../terminal/terminal';
import { visibleJson } from '../terminal/visible-json';
import { runCommand } from './run-command';

interface Options {
  readonly json?: boolean;
}

const withRegister = async (
  terminal: Terminal,
  use: (register: ApiKeyRegister) => TE.TaskEither<StartFailure, void>,
): Promise<void> => {
  const { withDatabase } = await import('../backend/with-database.js');
  const { apiKeyRegister, migrate } = await import('../../adapters/knex/index.js');
  await runCommand(
    terminal,
    withDatabase((database) =>
      pipe(
        migrate(database, { onProgress: terminal.say }),
        TE.mapLeft(notMigrated),
        TE.flatMap(() => use(apiKeyRegister(database))),
      ),
    ),
  );
};

const line = ({ id, lastFour, created, revoked, name }: ApiKeyRecord): string =>
  // Quoted, so that no name can look like a line of another key.
  [id, `...${lastFour}`, created, revoked === null ? 'valid' : `revoked ${revoked}`, visibleJson(name)].join(
    '  ',
  );

const nonEmpty = (name: string): string => {
  if (name === '') throw new InvalidArgumentError('It must not be empty.');
  return name;
};

const create = (terminal: Terminal): Command =>
  new Command('create')
    .description('issue a key; it is shown this once')
    .addOption(new Option('--name <name>', 'whose key it is').makeOptionMandatory().argParser(nonEmpty))
    .option('--json', 'print the key and its record as JSON')
    .action(({ name, json = false }: Options & { readonly name: string }) =>
      withRegister(terminal, ({ issue }) =>
        pipe(
          issue(name),
          TE.bimap(databaseFailed, (issued) => {
            terminal.print(json, issued, issued.key);
            terminal.say(
              `Keep it: only its hash is stored. To revoke it: animal-store keys revoke ${issued.id}`,
            );
          }),
        ),
      ),
    );

const list = (terminal: Terminal): Command =>
  new Command('list')
    .description('list the keys, by when they were made')
    .option('--json', 'print their records as JSON')
    .action(({ json = false }: Options) =>
      withRegister(terminal, ({ list: records }) =>
        pipe(
          records,
          TE.bimap(databaseFailed, (keys) => {
            if (json || keys.length > 0) terminal.print(json, keys, keys.map(line).join('\n'));
            else terminal.say('there are no keys');
          }),
        ),
      ),
    );

const revoke = (terminal: Terminal): Command =>
  new Command('revoke')
    .description('refuse a key from now on; running instances follow within 5 seconds')
    .argument('<id>', "the key's id, as `keys list` shows it")
    .option('--json', "print the key's record as JSON")
    .action((id: string, { json = false }: Options) =>
      withRegister(terminal, (register) =>
        pipe(
          register.revoke(id),
          TE.mapLeft(databaseFailed),
          TE.flatMap(TE.fromNullable<StartFailure>({ _tag: 'UnknownKey', id })),
          TE.map((record) => {
            terminal.print(json, record, line(record));
          }),
        ),
      ),
    );

/** `animal-store keys create | list | revoke` */
export const keysCommand = (terminal: Terminal): Command =>
  new Command('keys')
    .description('issue, list and revoke the API keys that the database holds')
    .addCommand(create(terminal))
    .addCommand(list(terminal))
    .addCommand(revoke(terminal));
