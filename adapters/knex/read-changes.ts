/* Reads the records of who created and changed animals and API keys (record-change.ts). */

import type { TaskEither } from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import type { Unavailable } from '../../core';
import { createdByKey, keyPrefix, recordedColumns, type RecordedTable } from './record-change';
import { toIsoTimeOrNull } from './database/clock';
import { type Cell, newPetColumns } from './database/pet-columns';
import type { StoreDatabase } from './database/store-database';
import { changesTable } from './database/tables';
import { toTaskEither } from './database/errors';

type RecordedRow = Readonly<Record<string, Cell>>;

/**
 * Creation of an animal. `createdBy` is `key ID`, `import` or `import by NAME`. `createdAt` and `createdBy` are null if
 * nothing was recorded.
 */
export interface Creation {
  readonly petId: string;
  readonly createdAt: string | null;
  readonly createdBy: string | null;
  readonly isDeleted?: true;
}

/** Change of an animal or API key. `operator` is null if a program that embeds the store made the change. */
export interface Change {
  readonly changedAt: string;
  readonly operator: string | null;
  readonly action: string;
  /** `keyId` and `replacedKeyId` are set if a rotation created the key `keyId`. */
  readonly keyId?: string;
  readonly replacedKeyId?: string;
  /** Fields of an animal before its change, as texts. */
  readonly before?: RecordedRow;
}

export interface PetHistory {
  readonly creation: Creation | undefined;
  readonly changes: ReadonlyArray<Change>;
}

const scanSize = 50_000;

/**
 * Searches the next `scanSize` rows after the id `after` for animals that the key created. The result `last` is the
 * next `after`, or undefined at the end. Searches in steps, because no index finds the animals of a key.
 */
type SearchOfKey = (
  keyId: string,
  after: string | undefined,
) => TaskEither<
  Unavailable,
  { readonly creations: ReadonlyArray<Creation>; readonly last: string | undefined }
>;

export interface ChangeLog {
  /** Reads who created an animal and who changed it, oldest first. */
  readonly ofPet: (id: bigint) => TaskEither<Unavailable, PetHistory>;
  /** Reads who issued, rotated and revoked an API key, and who issued its successors, oldest first. */
  readonly ofKey: (id: string) => TaskEither<Unavailable, ReadonlyArray<Change>>;
  /** Searches deleted animals that the key created. */
  readonly deletionsBy: SearchOfKey;
  /** Searches existing animals that the key created. */
  readonly creationsBy: SearchOfKey;
}

export const changeLog = ({ readPool }: StoreDatabase): ChangeLog => ({
  ofPet: (id) =>
    toTaskEither(async () => {
      const pets: ReadonlyArray<RecordedRow> = await readPool('pets')
        .where({ id: id.toString() })
        .select(recordedCells(readPool, 'pets'));
      const changes = await readChanges(readPool, (query) => void query.where({ pet_id: id.toString() }));
      const [row] = [...pets, ...changes];
      return { creation: row && toCreation(row), changes: changes.map(toChange) };
    }),
  ofKey: (id) =>
    toTaskEither(async () => {
      const isOfKey: Knex.QueryCallback = (query) =>
        void query.where({ key_id: id }).orWhere({ created_by: createdByKey(id) });
      const changes = await readChanges(
        readPool,
        (query) => void query.whereNotNull('key_id').andWhere(isOfKey),
      );
      return changes.map(toChange);
    }),
  deletionsBy: (keyId, after) =>
    toTaskEither(async () => {
      const wanted = { created_by: createdByKey(keyId), action: 'pets delete' };
      const { rows, last } = await scan(readPool, changesTable, wanted, after);
      return { creations: rows.map((row) => ({ ...toCreation(row), isDeleted: true as const })), last };
    }),
  creationsBy: (keyId, after) =>
    toTaskEither(async () => {
      const wanted = { created_by: createdByKey(keyId) };
      const { rows, last } = await scan(readPool, 'pets', wanted, after);
      return { creations: rows.map(toCreation), last };
    }),
});

const toCreation = (row: RecordedRow): Creation => ({
  petId: row['pet_id'] ?? '',
  createdAt: toIsoTimeOrNull(row['created_at']),
  createdBy: row['created_by'] ?? null,
});

const toChange = (row: RecordedRow): Change => ({
  changedAt: toIsoTimeOrNull(row['changed_at']) ?? '',
  operator: row['operator'] ?? null,
  action: row['action'] ?? '',
  ...(typeof row['key_id'] === 'string' &&
    typeof row['created_by'] === 'string' && {
      keyId: row['key_id'],
      replacedKeyId: row['created_by'].slice(keyPrefix.length),
    }),
  ...(row['pet_id'] !== null && {
    before: Object.fromEntries(newPetColumns.map(({ field, name }) => [field, row[name] ?? null])),
  }),
});

const readChanges = async (knex: Knex, isWanted: Knex.QueryCallback): Promise<ReadonlyArray<RecordedRow>> => {
  const columns = ['changed_at', ...recordedColumns.map((names) => names[changesTable])];
  const texts = columns.map((column) => knex.raw('cast(?? as text) as ??', [column, column]));
  return (
    knex(changesTable)
      .where(isWanted)
      // Sorts by the action too, so that a rotation comes before the creation of the new key, which may have the same
      // time.
      .orderBy(['changed_at', { column: 'action', order: 'desc' }, 'id'])
      .select(['operator', 'action', 'key_id', ...texts])
  );
};

interface LastId {
  readonly last: string | null;
}

const scan = async (knex: Knex, name: RecordedTable, wanted: RecordedRow, after: string | undefined) => {
  const id = `${name}.id`;
  const rowsLeft = () => (after === undefined ? knex(name) : knex(name).where(id, '>', after));
  const lastId = (sql: string) => knex.raw(`cast(${sql} as text) as last`, [id]);
  const lastOfScan = await rowsLeft()
    .orderBy(id)
    .offset(scanSize - 1)
    .first<LastId | undefined>(lastId('??'));
  const { last } = lastOfScan ?? (await rowsLeft().first<LastId>(lastId('max(??)')));
  if (last === null) return { rows: [], last: undefined };
  const rows: ReadonlyArray<RecordedRow> = await rowsLeft()
    .where(id, '<=', last)
    .where(wanted)
    .orderBy(id)
    .select(recordedCells(knex, name));
  return { rows, last };
};

/**
 * Returns SQL expressions that read the recorded columns of a table as text, named like the columns of
 * `animal_store_changes`.
 */
const recordedCells = (knex: Knex, from: RecordedTable) =>
  recordedColumns.map((names) => knex.raw('cast(?? as text) as ??', [names[from], names[changesTable]]));
