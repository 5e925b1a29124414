import { Command, Option } from 'commander';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { ApiKeyRecord, ApiKeyStore, CreatedApiKey } from '../../adapters/knex';
import { type CommandFailure, orFail } from '../failures';
import { keySourceOf } from '../settings/settings';
import { cellText, tableText } from '../terminal/table';
import type { Terminal } from '../terminal/terminal';
import { nonEmpty, parseDuration, parseLifetime } from './arguments';
import { runOnStore } from './run-command';

interface Options {
  readonly json?: boolean;
}

interface CreateOptions extends Options {
  readonly name: string;
  readonly expires?: number;
  readonly readOnly?: boolean;
}

interface RotateOptions extends Options {
  readonly grace: number;
  readonly expires?: number;
}

const stateOf = ({ revokedAt, isValid, isUnused }: ApiKeyRecord): string => {
  if (revokedAt !== null) return 'revoked';
  if (!isValid) return 'expired';
  return isUnused ? 'unused' : 'valid';
};

const dayOf = (time: string): string => time.slice(0, 'yyyy-mm-dd'.length);

/** Minimum width of a terminal at which all columns fit. */
const columnsOfAll = 100;

const dayMs = 86_400_000;

const lastUseOf = ({ lastUsedAt }: ApiKeyRecord): string => {
  if (lastUsedAt === null) return 'never';
  const days = Math.floor((Date.now() - Date.parse(lastUsedAt)) / dayMs);
  return days < 1 ? '<1d' : `${days}d`;
};

interface Column {
  readonly name: string;
  readonly cellOf: (record: ApiKeyRecord) => string;
}

/**
 * Makes a table of keys. LAST4 has the last four characters of a key. OWNER is shown only if a key's owner id is not
 * its own id, as after a rotation. ACCESS is shown only if a key is read-only. A narrow table with OWNER or ACCESS
 * lacks CREATED.
 */
const keysText = (records: ReadonlyArray<ApiKeyRecord>, { columns: width }: Terminal): Promise<string> => {
  const optional = (isShown: boolean, column: Column): ReadonlyArray<Column> => (isShown ? [column] : []);
  const hasOwners = records.some(({ id, ownerId }) => ownerId !== id);
  const hasAccess = records.some(({ isReadOnly }) => isReadOnly);
  const hasRoom = !(hasOwners || hasAccess) || width >= columnsOfAll;
  const columns: ReadonlyArray<Column> = [
    { name: 'ID', cellOf: ({ id }) => id },
    { name: 'NAME', cellOf: ({ name }) => cellText(name) },
    ...optional(hasOwners, {
      name: 'OWNER',
      cellOf: ({ id, ownerId }) => (ownerId === id ? 'same' : ownerId.slice(0, 6)),
    }),
    { name: 'LAST4', cellOf: ({ lastFour }) => lastFour },
    ...optional(hasRoom, { name: 'CREATED', cellOf: ({ createdAt }) => dayOf(createdAt) }),
    { name: 'EXPIRES', cellOf: ({ expiresAt }) => (expiresAt === null ? 'never' : dayOf(expiresAt)) },
    { name: 'USED', cellOf: lastUseOf },
    ...optional(hasAccess, {
      name: 'ACCESS',
      cellOf: ({ isReadOnly }) => (isReadOnly ? 'read-only' : 'full'),
    }),
    { name: 'STATE', cellOf: stateOf },
  ];
  const rows = records.map((record) => columns.map(({ cellOf }) => cellOf(record)));
  const header = columns.map(({ name }) => name);
  return tableText(header, rows, { flexible: header.indexOf('NAME'), columns: width });
};

/**
 * Creates a key and prints it. Also prints the other valid keys of its owner, because they stay valid after a rotation.
 */
const createAndPrint = (
  terminal: Terminal,
  json: boolean,
  make: (keyStore: ApiKeyStore) => TaskEither<CommandFailure, CreatedApiKey>,
): Promise<void> =>
  runOnStore(terminal, 'write', async ({ keyStore }, settings) => {
    const created = await orFail(make(keyStore));
    terminal.print(json, created, created.key);
    if (keySourceOf(settings) === 'API_KEYS') {
      terminal.printMessage(
        'API_KEYS is set: a service with API_KEYS ignores the keys in the database; to use them, unset API_KEYS (or API_KEYS_FILE)',
        'warning',
      );
    }
    terminal.printMessage(
      `This is the only time the key is shown: save it now. To revoke it, run \`animal-store keys revoke ${created.id}\``,
    );
    // Ends here for the first key of an owner, which has the owner's id, because the owner has no other keys to print.
    if (created.id === created.ownerId) return;
    for (const { id, ownerId, isValid, expiresAt } of await orFail(keyStore.list)) {
      if (!isValid || ownerId !== created.ownerId || id === created.id) continue;
      const end = expiresAt === null ? 'does not expire' : `stays valid until ${expiresAt}`;
      terminal.printMessage(
        `key ${id} of the same owner ${end}; to end it now, run \`animal-store keys revoke ${id}\``,
      );
    }
  });

const expires = '--expires <duration>';

const create = (terminal: Terminal): Command =>
  new Command('create')
    .description('create a key and print it; it is not shown again')
    .requiredOption(
      '--name <name>',
      'name of the new owner, for `keys list`; each `create` makes a new owner, even with the same name',
      nonEmpty,
    )
    .option(expires, 'lifetime of the key, as in 90d; by default it does not expire', parseLifetime)
    .option('--read-only', 'make a key that cannot add animals, such as for a public page')
    .option('--json', 'print the key and its record as JSON')
    .action(({ name, expires, readOnly = false, json = false }: CreateOptions) =>
      createAndPrint(terminal, json, (keys) =>
        keys.create(name, { lifetimeMs: expires, isReadOnly: readOnly }),
      ),
    );

const rotate = (terminal: Terminal): Command =>
  new Command('rotate')
    .description(
      'create a key that replaces a valid or expired one of the same owner; the old key expires after the grace period',
    )
    .argument('<id>', 'id of the old key, as `keys list` shows it', nonEmpty)
    .addOption(
      new Option('--grace <duration>', 'how long the old key stays valid')
        .argParser(parseDuration)
        .default(parseDuration('1d'), '1d'),
    )
    .option(expires, "lifetime of the new key, as in 90d; by default the old key's lifetime", parseLifetime)
    .option('--json', 'print the key and its record as JSON')
    .action((id: string, { grace, expires, json = false }: RotateOptions) =>
      createAndPrint(terminal, json, (keys) => keys.rotate(id, { graceMs: grace, lifetimeMs: expires })),
    );

const list = (terminal: Terminal): Command =>
  new Command('list')
    .description(
      'list the keys, oldest first, with days in UTC; a valid key is unused if it had no request for 30 days',
    )
    .option('--json', 'print the records of the keys as JSON')
    .action(({ json = false }: Options) =>
      runOnStore(terminal, 'read', async ({ keyStore }) => {
        const keys = await orFail(keyStore.list);
        if (json || keys.length > 0) terminal.print(json, keys, await keysText(keys, terminal));
        else terminal.printMessage('there are no keys');
      }),
    );

const revoke = (terminal: Terminal): Command =>
  new Command('revoke')
    .description('make a key invalid; running instances reject it within 5 seconds')
    .argument('<id>', 'id of the key, as `keys list` shows it', nonEmpty)
    .option('--json', 'print the record of the key as JSON')
    .action((id: string, { json = false }: Options) =>
      runOnStore(terminal, 'write', async ({ keyStore }, settings) => {
        const record = await orFail(keyStore.revoke(id));
        terminal.print(json, record, await keysText([record], terminal));
        if (keySourceOf(settings) === 'API_KEYS') return;
        const keys = await orFail(keyStore.list);
        if (keys.some(({ isValid }) => isValid)) return;
        terminal.printMessage(
          'no valid key is left: the service rejects every request, and does not start in production. Create a key with `animal-store keys create --name NAME`, or set API_KEYS',
          'warning',
        );
      }),
    );

export const keysCommand = (terminal: Terminal): Command =>
  new Command('keys')
    .summary('create, list, rotate and revoke API keys')
    .description('create, list, rotate and revoke the API keys in the database')
    .addCommand(create(terminal))
    .addCommand(list(terminal))
    .addCommand(rotate(terminal))
    .addCommand(revoke(terminal));
