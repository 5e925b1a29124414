/* Inspection of a database for the command `doctor`, which app/doctor.ts calls. */

import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import { randomBytes } from 'node:crypto';
import { decodeOrThrow, NewPetCodec, type Unavailable } from '../../core';
import { apiKeyStore } from './api-keys/api-key-store';
import { tryAndRollBack } from './database/connections';
import type { Database, Finding } from './database/database';
import { eitherToTaskEither, errorWithCode, permanentError } from './database/errors';
import { idOfRow } from './database/pet-columns';
import { tryMigrate } from './migrations/migrate';
import { generationMismatch, readSchemaState, type SchemaState } from './migrations/migrations';

export interface DatabaseReport {
  readonly schema: SchemaState;
  readonly findings: ReadonlyArray<Finding>;
  readonly issuedKeys: number;
  readonly validKeys: number;
}

/**
 * Twice the size to which SQLite truncates the write-ahead log. On a full disk, creates fail, and reads may fail too.
 */
const minFreeDiskBytes = 8 * 1024 * 1024;

const trialPet = decodeOrThrow(NewPetCodec, { name: 'trial', categoryId: 1 });

/** Runs the statements of a create with an idempotency key. PostgreSQL does not reuse its id after the rollback. */
const tryCreate = ({ writes, petStatements }: Database): Promise<void> =>
  tryAndRollBack(writes, async (transaction) => {
    const [row = []] = await petStatements.insert(transaction, [trialPet]);
    const pet_id = BigInt(idOfRow(row));
    const key = { owner_id: 'trial', idempotency_key: randomBytes(16).toString('hex') };
    await petStatements.insertRecords(transaction, [{ ...key, pet_id, expires_at: 0 }]);
    await transaction('creation_keys').where(key).select('idempotency_key').forShare();
    await transaction('creation_keys').where(key).delete();
  });

/**
 * Tries what `serve` does with a database, and rolls it back: the migrations, or a create. Fails with the error
 * of the statement that fails.
 */
export const inspectDatabase = (database: Database): TaskEither<Unavailable, DatabaseReport> =>
  eitherToTaskEither(async () => {
    const { diskAvailable = Infinity } = await database.sizes();
    if (diskAvailable < minFreeDiskBytes) {
      throw errorWithCode('ENOSPC', `ENOSPC: only ${diskAvailable} bytes are free`);
    }
    await database.checkUsable();
    const findings = await database.inspect();
    const schema = await readSchemaState(database.reads);
    if (schema.generation === 0) {
      await tryMigrate(database);
      return E.right({ schema, findings, issuedKeys: 0, validKeys: 0 });
    }
    if (schema.pending.length === 0 && generationMismatch(schema) === undefined) {
      const fault = await database.inspectIds(Infinity);
      if (fault !== undefined) throw permanentError(fault);
      await tryCreate(database);
    }
    const keys = await apiKeyStore(database).list();
    if (E.isLeft(keys)) return keys;
    const validKeys = keys.right.filter(({ isValid }) => isValid).length;
    return E.right({ schema, findings, issuedKeys: keys.right.length, validKeys });
  });
