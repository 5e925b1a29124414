import { Command } from 'commander';
import * as E from 'fp-ts/Either';
import {
  checkCopySource,
  type CopiedStore,
  copyStore,
  type CopyProgress,
  openSqliteSource,
} from '../../adapters/knex';
import { isSameFile } from '../../adapters/files/paths';
import { openConfigured, requireDriver } from '../store/database';
import { requireReadable } from '../store/checks/check-file';
import { openDatabase } from '../store/stages';
import { type DatabaseUrl, databaseUrlText, parseDatabaseUrl } from '../settings/database-url';
import { valueOf } from '../settings/environment';
import { orFail } from '../failures';
import type { Settings } from '../settings/settings';
import type { Terminal } from '../terminal/terminal';
import { counted } from '../terminal/text';
import { failUsage, parseAddress } from './arguments';
import { type LongCommand, onTarget, runLongCommand, targetError } from './run-long-command';

export const copyCommand = (terminal: Terminal): Command =>
  new Command('copy')
    .summary('copy everything into another, empty database')
    .description(
      'copy animals with their ids, API keys, idempotency keys and recorded changes into another, empty database',
    )
    .argument(
      '[target-url]',
      'address of the other database, written as in DATABASE_URL; by default the variable TARGET_URL, which hides a password from the list of processes',
      parseAddress,
    )
    .action((argument: DatabaseUrl | undefined, _options: object, self: Command) => {
      const setting = valueOf(terminal.env, 'TARGET_URL');
      if (argument === undefined && setting === '')
        return failUsage(self, 'name the target: add its address, or set TARGET_URL');
      return runLongCommand(
        terminal,
        () => remains.copying,
        async (context) => resultText(await copy(argument ?? parseTargetUrl(setting), context)),
      );
    });

const parseTargetUrl = (text: string): DatabaseUrl => {
  const address = parseDatabaseUrl(text);
  if (E.isLeft(address)) throw new Error(`TARGET_URL must be ${address.left}`);
  return address.right;
};

const copy = async (
  to: DatabaseUrl,
  { settings, terminal, signal, showProgress, setRemains }: LongCommand,
): Promise<CopiedStore> => {
  let progress: CopyProgress = { phase: 'copying', rows: 0 };
  showProgress(() => ({ count: progress.rows, noun: 'row', share: progress.share }));
  setRemains(() => remains[progress.phase]);
  const { DATABASE_URL: from } = settings;
  terminal.printMessage(
    `copy ${databaseUrlText(from)} to ${databaseUrlText(to)}; the services of both must be stopped`,
  );
  if (isSame(from, to)) throw new Error('the source and the target are the same database');
  const source = await openSourceDatabase(settings);
  try {
    await orFail(checkCopySource(source));
    const options = { mayCreate: true, printMessage: terminal.printMessage, signal };
    const { database: target } = await onTarget(to, 'TARGET_URL', () =>
      openDatabase({ ...settings, DATABASE_URL: to }, 'write', options),
    );
    try {
      const copied = await copyStore(source, target, {
        signal,
        countsRows: terminal.stderr.isTTY === true,
        onProgress: (now) => {
          progress = now;
        },
      })();
      if (E.isRight(copied)) return copied.right;
      const { cause, database } = copied.left;
      throw database === 'source' ? cause : targetError(cause, to, 'TARGET_URL');
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
};

const remains: Readonly<Record<CopyProgress['phase'], string>> = {
  copying: 'nothing was copied',
  committing: 'the target did not confirm the commit: it has everything or nothing',
  committed: 'the target has the earlier state: stop the services, and copy again into an empty database',
};

const isSame = (from: DatabaseUrl, to: DatabaseUrl): boolean => {
  if (from._tag === 'Sqlite' && to._tag === 'Sqlite') return isSameFile(from.filename, to.filename);
  return from._tag === 'Postgres' && to._tag === 'Postgres' && from.connectionString === to.connectionString;
};

const openSourceDatabase = async (settings: Settings) => {
  const { DATABASE_URL: url } = settings;
  if (url._tag !== 'Sqlite') return openConfigured(settings);
  requireReadable(url.filename);
  return requireDriver(() => openSqliteSource(url.filename));
};

const resultText = ({ rows, lastId }: CopiedStore): string =>
  `copied and compared: ${counted(rows.get('pets') ?? 0, 'animal')}, ${counted(rows.get('api_keys') ?? 0, 'API key')}, ${counted(rows.get('idempotency_keys') ?? 0, 'idempotency key')}; the next animal gets an id above ${lastId}`;
