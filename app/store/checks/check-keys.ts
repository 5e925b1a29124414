import * as E from 'fp-ts/Either';
import {
  apiKeyStore,
  errorKindOf,
  invalidOwnerText,
  type OpenedDatabase,
  tryCreateKey,
} from '../../../adapters/knex';
import { OwnerId } from '../../../core';
import { CommandFailed, orFail, reasonOf } from '../../failures';
import { mayCreateStore, type Settings } from '../../settings/settings';
import { counted } from '../../terminal/text';
import { type Finding, passed, warned } from './finding';

/**
 * Checks that a valid API key exists. Without one, throws in production. Elsewhere, passes if the next start can create
 * the first key, throws if the role may not create it, and warns if all created keys are invalid. `database` is
 * undefined before its tables exist.
 */
export const checkKeys = async (
  settings: Settings,
  database: OpenedDatabase | undefined,
): Promise<ReadonlyArray<Finding>> => {
  const { API_KEYS, DATABASE_URL } = settings;
  if (API_KEYS.length > 0) return [passed('keys', `${counted(API_KEYS.length, 'key')} in API_KEYS`)];
  const created = database === undefined ? [] : await orFail(apiKeyStore(database).list);
  const valid = created.filter(({ isValid }) => isValid);
  if (valid.length > 0)
    return [
      passed('keys', `${counted(valid.length, 'valid key')} in the database`),
      ...valid
        .filter(({ ownerId }) => !OwnerId.is(ownerId))
        .map(({ id }) => warned('keys', invalidOwnerText(id))),
    ];
  const failure = new CommandFailed({ _tag: 'NoApiKey' });
  if (!mayCreateStore(settings)) throw failure;
  if (created.length === 0) {
    const trial = database === undefined ? E.right(undefined) : await tryCreateKey(database)();
    if (E.isLeft(trial) && errorKindOf(trial.left.cause) === 'NoRight') throw failure;
    return [passed('keys', 'none: the first start creates one')];
  }
  return [warned('keys', reasonOf(failure, DATABASE_URL))];
};
