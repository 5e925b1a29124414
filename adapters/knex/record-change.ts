/*
 * Records who created and changed animals and API keys, and when. Each record is written in the transaction of its
 * change.
 */

import { randomUUID } from 'node:crypto';
import type { KeyId } from '../../core';
import { storedColumns } from './database/pet-columns';
import type { Connection } from './database/store-database';
import { changesTable } from './database/tables';

/** Name of the user who runs a command. Undefined in a program that embeds the store. */
export type Operator = string | undefined;

type Action = 'pets update' | 'pets delete' | 'keys create' | 'keys rotate' | 'keys revoke';

export const keyPrefix = 'key ';

/** Returns the value of `created_by` for an animal that an API key adds, or for an API key that replaces it. */
export const createdByKey = (keyId: KeyId | string): string => `${keyPrefix}${keyId}`;

/** Returns the value of `created_by` for an animal of an import. It never equals a value of `createdByKey`. */
export const createdByImport = (operator: Operator): string =>
  operator === undefined ? 'import' : `import by ${operator}`;

export type RecordedTable = 'pets' | typeof changesTable;

export const recordedColumns: ReadonlyArray<Readonly<Record<RecordedTable, string>>> = storedColumns.map(
  ({ name }) => ({ pets: name, [changesTable]: name === 'id' ? 'pet_id' : name }),
);

/**
 * Records animals before a change. Locks their rows, except on Citus. Call it before any read, because a SQLite
 * transaction that reads first may be unable to write.
 */
export const recordPets = async (
  { knex, statements: { nowSql, insertFromLocked } }: Connection,
  operator: Operator,
  action: Action,
  ids: ReadonlyArray<bigint>,
): Promise<void> => {
  if (ids.length === 0) return;
  const namesIn = (name: RecordedTable): string => recordedColumns.map((names) => names[name]).join(', ');
  const sql = `insert into {${changesTable}} (id, changed_at, operator, action, ${namesIn(changesTable)})
    select cast(? as text) || '-' || pets.id, ${nowSql}, cast(? as text), cast(? as text), ${namesIn('pets')}
    from {pets} where pets.id in (${ids.map(() => '?').join(', ')})`;
  const bindings = [randomUUID(), operator ?? null, action, ...ids.map(String)];
  await insertFromLocked(knex, sql, bindings);
};

/** Records a change of an API key. The record of a new key names the key that it replaces, if any. */
export const recordKeyChange = async (
  { knex, statements }: Connection,
  operator: Operator,
  action: Action,
  keyId: string,
  replacedKeyId?: string,
): Promise<void> => {
  const change = { id: randomUUID(), changed_at: knex.raw(statements.nowSql), operator: operator ?? null };
  const created_by = replacedKeyId === undefined ? null : createdByKey(replacedKeyId);
  await knex(changesTable).insert({ ...change, action, key_id: keyId, created_by });
};
