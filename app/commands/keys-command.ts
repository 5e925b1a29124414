import { Command, InvalidArgumentError, Option } from 'commander';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { ApiKeyRegister, IssuedApiKey } from '../../adapters/knex';
import { refuseMissingFile } from '../backend/refuse-missing-file';
import type { StartFailure } from '../failures/start-failure';
import type { Settings } from '../settings/settings';
import type { Terminal } from '../terminal/terminal';
import { apiKeyLine } from './api-key-line';
import { parseDuration, parseLifetime } from './duration';
import { runCommand } from './run-command';

interface Options {
  readonly json?: boolean;
}

interface IssueOptions extends Options {
  /** In milliseconds. */
  readonly expires?: number;
}

type Use = (register: ApiKeyRegister, settings: Settings) => TE.TaskEither<StartFailure, void>;

const withNewRegister = async (
  terminal: Terminal,
  use: Use,
  check: (settings: Settings) => E.Either<StartFailure, Settings> = E.right,
): Promise<void> => {
  const { withDatabase } = await import('../backend/with-database.js');
  const { apiKeyRegister } = await import('../../adapters/knex/index.js');
  await runCommand(terminal, (settings) =>
    pipe(
      TE.fromEither(check(settings)),
      TE.flatMap(
        withDatabase({ onProgress: terminal.say }, (database) => use(apiKeyRegister(database), settings)),
      ),
    ),
  );
};

/** Without a database there is no key to find; the name of its file is wrong. */
const withRegister = (terminal: Terminal, use: Use): Promise<void> =>
  withNewRegister(terminal, use, refuseMissingFile);

const present =
  ({ print, say }: Terminal, json: boolean, { API_KEYS }: Settings) =>
  (issued: IssuedApiKey): void => {
    print(json, issued, issued.key);
    if (API_KEYS.length > 0)
      say('warning: a service that has API_KEYS, as they are set here, takes no key of the database');
    say(`Keep it: only its hash is stored. To revoke it: animal-store keys revoke ${issued.id}`);
  };

const expiresOption = ['--expires <duration>', 'how long it lasts, as in 90d; without it, for ever'] as const;

/** What an operator must know once no key is left that lets anybody in. */
const warnWithoutKey = (terminal: Terminal, { list: records }: ApiKeyRegister) =>
  pipe(
    records,
    TE.map((keys) => {
      if (keys.some(({ isValid }) => isValid)) return;
      terminal.say(
        'warning: no valid key is left in the database: every request is refused, and a start in production too, until `animal-store keys create` or API_KEYS',
      );
    }),
  );

const nonEmpty = (name: string): string => {
  if (name === '') throw new InvalidArgumentError('It must not be empty.');
  return name;
};

const create = (terminal: Terminal): Command =>
  new Command('create')
    .description('issue a key; it is shown this once')
    .requiredOption('--name <name>', 'whose key it is', nonEmpty)
    .option(...expiresOption, parseLifetime)
    .option('--json', 'print the key and its record as JSON')
    .action(({ name, expires, json = false }: IssueOptions & { readonly name: string }) =>
      withNewRegister(terminal, ({ issue }, settings) =>
        pipe(issue(name, expires), TE.map(present(terminal, json, settings))),
      ),
    );

const rotate = (terminal: Terminal): Command =>
  new Command('rotate')
    .description('issue a successor of a key to the same owner; the old key ends by itself')
    .argument('<id>', "the old key's id, as `keys list` shows it")
    .addOption(
      new Option('--grace <duration>', 'how long the old key still lasts')
        .argParser(parseDuration)
        .default(parseDuration('1d'), '1d'),
    )
    .option(...expiresOption, parseLifetime)
    .option('--json', 'print the key and its record as JSON')
    .action((id: string, { grace, expires, json = false }: IssueOptions & { readonly grace: number }) =>
      withRegister(terminal, (register, settings) =>
        pipe(
          register.rotate(id, grace, expires),
          TE.flatMap(TE.fromNullable<StartFailure>({ _tag: 'UnknownKey', id })),
          TE.map(present(terminal, json, settings)),
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
          TE.map((keys) => {
            if (json || keys.length > 0) terminal.print(json, keys, keys.map(apiKeyLine).join('\n'));
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
          TE.flatMap(TE.fromNullable<StartFailure>({ _tag: 'UnknownKey', id })),
          TE.map((record) => {
            terminal.print(json, record, apiKeyLine(record));
          }),
          TE.flatMap(() => warnWithoutKey(terminal, register)),
        ),
      ),
    );

/** `animal-store keys create | list | rotate | revoke` */
export const keysCommand = (terminal: Terminal): Command =>
  new Command('keys')
    .description('issue, list, rotate and revoke the API keys that the database holds')
    .addCommand(create(terminal))
    .addCommand(list(terminal))
    .addCommand(rotate(terminal))
    .addCommand(revoke(terminal));
