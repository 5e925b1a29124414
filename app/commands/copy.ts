import { Command } from 'commander';
import * as E from 'fp-ts/Either';
import {
  checkCopySource,
  type CopiedStore,
  copyStore,
  type CopyState,
  isSameFile,
  migrate,
  openSqliteSource,
} from '../../adapters/knex';
import { fieldErrorTexts } from '../../core';
import { databaseOf, requireFile, withDriver } from '../backend/database';
import { fileAdvice } from '../backend/database-file';
import { type DatabaseAddress, databaseAddressText } from '../database-address';
import { CommandFailed, orFail, reasonOf } from '../failures';
import { decodeSettings, type Settings } from '../settings';
import type { Terminal } from '../terminal/terminal';
import { counted } from '../terminal/text';
import { showProgress } from '../transfer/progress';
import { runTransfer, type TransferContext } from './run';

const readTarget = (text: string): DatabaseAddress => {
  if (text === '') throw new Error('name the target: add its address, or set TARGET_URL');
  const decoded = decodeSettings({ DATABASE_URL: text });
  if (E.isRight(decoded)) {
    const { DATABASE_URL: address } = decoded.right;
    if (address._tag === 'Memory') throw new Error('TARGET_URL must be a database that outlives the command');
    return address;
  }
  throw new Error(
    fieldErrorTexts(decoded.left.map((error) => ({ ...error, field: 'TARGET_URL' }))).join('; '),
  );
};

const isSame = (one: DatabaseAddress, other: DatabaseAddress): boolean => {
  if (one._tag === 'Sqlite' && other._tag === 'Sqlite') return isSameFile(one.filename, other.filename);
  return (
    one._tag === 'Postgres' && other._tag === 'Postgres' && one.connectionString === other.connectionString
  );
};

const openSource = async (settings: Settings) => {
  const { DATABASE_URL: address } = settings;
  const named = databaseOf(settings);
  if (named === undefined) throw new CommandFailed({ _tag: 'NoDatabase' });
  if (address._tag === 'Sqlite') {
    requireFile(settings);
    const advice = fileAdvice(address.filename);
    if (advice !== undefined) throw new Error(`${address.filename} can't be locked: ${advice}`);
    const knex = await withDriver(() => openSqliteSource(address.filename));
    return { knex, close: () => knex.destroy() };
  }
  const { reads: knex, close } = await named.open();
  return { knex, close };
};

const openTarget = async (settings: Settings, printError: (text: string) => void) => {
  const named = databaseOf(settings);
  if (named === undefined) throw new CommandFailed({ _tag: 'NoDatabase' });
  const target = await named.open();
  try {
    await orFail(migrate(target, { onProgress: printError }));
    return target;
  } catch (error) {
    await target.close();
    const reason = reasonOf(error, settings.DATABASE_URL).replaceAll('DATABASE_URL', 'TARGET_URL');
    throw new Error(reason, { cause: error });
  }
};

const copy = async (
  targetUrl: string,
  state: CopyState,
  { settings, terminal, signal }: TransferContext,
): Promise<CopiedStore> => {
  const { DATABASE_URL: sourceAddress } = settings;
  const targetAddress = readTarget(targetUrl);
  terminal.printError(
    `copy ${databaseAddressText(sourceAddress)} to ${databaseAddressText(targetAddress)}; the services of both must be stopped`,
  );
  if (isSame(sourceAddress, targetAddress))
    throw new Error('the source and the target are the same database');
  const source = await openSource(settings);
  try {
    await orFail(checkCopySource(source.knex));
    const target = await openTarget({ ...settings, DATABASE_URL: targetAddress }, terminal.printError);
    const hideProgress = showProgress(terminal, { unit: 'rows', count: () => state.rows });
    try {
      return await copyStore(source.knex, target, state, signal);
    } finally {
      hideProgress();
      await target.close();
    }
  } finally {
    await source.close();
  }
};

const summary = ({ animals, apiKeys, idempotencyKeys, lastId }: CopiedStore): string => {
  const counts = [
    counted(animals, 'animal'),
    counted(apiKeys, 'API key'),
    counted(idempotencyKeys, 'idempotency key'),
  ];
  return `copied and compared: ${counts.join(', ')}; the next animal gets an id above ${lastId}`;
};

/** Makes the command `copy`, which command-line.ts adds to the program. */
export const copyCommand = (terminal: Terminal): Command =>
  new Command('copy')
    .description('copy animals with their ids, API keys and idempotency keys into another, empty database')
    .argument(
      '[target-url]',
      'address of the other database, written as in DATABASE_URL; by default the variable TARGET_URL, which hides a password from the list of processes',
    )
    .action(async (argument: string | undefined) => {
      const targetUrl = argument ?? terminal.env['TARGET_URL'] ?? '';
      const state: CopyState = { rows: 0, isCommitting: false };
      await runTransfer(terminal, async (context) => summary(await copy(targetUrl, state, context)), {
        failed: 'the copy failed',
        remains: () =>
          state.isCommitting
            ? 'the target did not confirm the commit: it has everything or nothing'
            : 'nothing was copied',
      });
    });
