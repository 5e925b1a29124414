/* Who created and changed animals and API keys, and when. Each record is written in the transaction of its change. */

import type { TaskEither } from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import { randomUUID } from 'node:crypto';
import type { KeyId, Unavailable } from '../../core';
import { toIsoTime } from './database/clock';
import { type Cell, newPetColumns, petColumns } from './database/pet-columns';
import type { Statements, StoreDatabase } from './database/store-database';
import { toTaskEither } from './database/work';

/** Name of the user who runs a command. Undefined in a program that embeds the store. */
export type Operator = string | undefined;

type Action = 'pets update' | 'pets delete' | 'keys create' | 'keys rotate' | 'keys revoke';

/** Returns the value of `created_by` for an animal that a client adds with an API key. */
export const createdByKey = (keyId: KeyId | string): string => `key ${keyId}`;

/** Returns the value of `created_by` for an animal of an import. No key id has this form. */
export const createdByImport = (operator: Operator): string =>
  operator === undefined ? 'import' : `import by ${operator}`;

const table = 'animal_store_changes';

type Row = Readonly<Record<string, Cell>>;

/** Columns of an animal in a record of its change, with their names there. */
const recordedColumns: ReadonlyArray<readonly [name: string, recorded: string]> = [
  ...petColumns.map(({ name }) => [name, name === 'id' ? 'pet_id' : name] as const),
  ['created_at', 'created_at'],
  ['created_by', 'created_by'],
];

const record = async (
  transaction: Knex,
  { nowSql }: Statements,
  operator: Operator,
  action: Action,
  rows: ReadonlyArray<Row>,
): Promise<void> => {
  const change = { changed_at: transaction.raw(nowSql), operator: operator ?? null, action };
  if (rows.length > 0)
    await transaction(table).insert(rows.map((row) => ({ id: randomUUID(), ...change, ...row })));
};

const recordedCells = (transaction: Knex) =>
  recordedColumns.map(([name, recorded]) => transaction.raw('cast(?? as text) as ??', [name, recorded]));

/**
 * Records animals as they are before their change. First locks them by an update that changes nothing, so that the
 * record is true.
 */
export const recordPets = async (
  transaction: Knex,
  statements: Statements,
  operator: Operator,
  action: Action,
  ids: ReadonlyArray<bigint>,
): Promise<void> => {
  const rows: ReadonlyArray<Row> = await transaction('pets')
    .whereIn('id', ids.map(String))
    .update({ name: transaction.ref('name') })
    .returning(recordedCells(transaction));
  await record(transaction, statements, operator, action, rows);
};

/** Records a change of an API key. */
export const recordKeyChange = (
  transaction: Knex,
  statements: Statements,
  operator: Operator,
  action: Action,
  keyId: string,
): Promise<void> => record(transaction, statements, operator, action, [{ key_id: keyId }]);

/** Creation of an animal: its time, and `key ID`, `import` or `import by NAME`. Null if no record was kept. */
export interface Creation {
  readonly petId: string;
  readonly createdAt: string | null;
  readonly createdBy: string | null;
  readonly isDeleted?: true;
}

/** Change of an animal or of an API key. `operator` is null if a program that embeds the store made it. */
export interface Change {
  readonly changedAt: string;
  readonly operator: string | null;
  readonly action: string;
  /** Values of an animal before its change, by column. */
  readonly before?: Row;
}

export interface PetHistory {
  readonly creation: Creation | undefined;
  readonly changes: ReadonlyArray<Change>;
}

const timeText = (milliseconds: Cell | undefined): string | null =>
  milliseconds === null || milliseconds === undefined ? null : toIsoTime(milliseconds);

const toCreation = (row: Row): Creation => ({
  petId: row['pet_id'] ?? '',
  createdAt: timeText(row['created_at']),
  createdBy: row['created_by'] ?? null,
});

const toChange = (row: Row): Change => ({
  changedAt: timeText(row['changed_at']) ?? '',
  operator: row['operator'] ?? null,
  action: row['action'] ?? '',
  ...(row['pet_id'] !== null && {
    before: Object.fromEntries(newPetColumns.map(({ name }) => [name, row[name] ?? null])),
  }),
});

const readChanges = async (knex: Knex, where: Row): Promise<ReadonlyArray<Row>> => {
  const columns = ['changed_at', ...recordedColumns.map(([, recorded]) => recorded)];
  const texts = columns.map((column) => knex.raw('cast(?? as text) as ??', [column, column]));
  return knex(table)
    .where(where)
    .orderBy(['changed_at', 'id'])
    .select(['operator', 'action', ...texts]);
};

/** Animals that are read at a time in the search for those of a key. */
const scanSize = 50_000;

/** Reads who changed the store. */
export interface ChangeLog {
  /** Reads who created an animal and who changed it, oldest first. */
  readonly ofPet: (id: bigint) => TaskEither<Unavailable, PetHistory>;
  /** Reads who issued and revoked an API key, oldest first. */
  readonly ofKey: (id: string) => TaskEither<Unavailable, ReadonlyArray<Change>>;
  /** Reads the animals that a key created and that were deleted since. */
  readonly deletedOf: (keyId: string) => TaskEither<Unavailable, ReadonlyArray<Creation>>;
  /**
   * Reads the next animals after the id `after`, or the first ones. Returns those that a key created, and the id after
   * which the search goes on, which is undefined at its end. No index finds the animals of a key.
   */
  readonly createdBy: (
    keyId: string,
    after: string | undefined,
  ) => TaskEither<
    Unavailable,
    { readonly creations: ReadonlyArray<Creation>; readonly last: string | undefined }
  >;
}

/** Makes the ChangeLog of a migrated database. */
export const changeLog = ({ reads }: StoreDatabase): ChangeLog => ({
  ofPet: (id) =>
    toTaskEither(async () => {
      const pets: ReadonlyArray<Row> = await reads('pets')
        .where({ id: id.toString() })
        .select(recordedCells(reads));
      const changes = await readChanges(reads, { pet_id: id.toString() });
      const [row] = [...pets, ...changes];
      return { creation: row && toCreation(row), changes: changes.map(toChange) };
    }),
  ofKey: (id) => toTaskEither(async () => (await readChanges(reads, { key_id: id })).map(toChange)),
  deletedOf: (keyId) =>
    toTaskEither(async () => {
      const rows = await readChanges(reads, { created_by: createdByKey(keyId), action: 'pets delete' });
      return rows.map((row) => ({ ...toCreation(row), isDeleted: true as const }));
    }),
  createdBy: (keyId, after) =>
    toTaskEither(async () => {
      const next = () => {
        const query = reads('pets').orderBy('pets.id');
        return after === undefined ? query : query.where('pets.id', '>', after);
      };
      const { last } = await reads
        .from(next().limit(scanSize).select('id').as('scanned'))
        .first<{ readonly last: Cell }>(reads.raw('cast(max(scanned.id) as text) as last'));
      if (last === null) return { creations: [], last: undefined };
      const rows: ReadonlyArray<Row> = await next()
        .where('pets.id', '<=', last)
        .where({ created_by: createdByKey(keyId) })
        .select(recordedCells(reads));
      return { creations: rows.map(toCreation), last };
    }),
});
