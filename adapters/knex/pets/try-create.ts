import { constFalse } from 'fp-ts/function';
import type { Knex } from 'knex';
import { randomBytes } from 'node:crypto';
import { decodeOrThrow, IdempotencyKey, idempotencyTtlMs, NewPetCodec, OwnerId } from '../../../core';
import { isKind } from '../database/errors';
import type { Statements } from '../database/store-database';
import { claimOf, createOrReplay, insertAsNew } from './create';

const newPet = decodeOrThrow(NewPetCodec, { name: 'trial', categoryId: 1 });

/**
 * Creates an animal with an idempotency key, and retries the create. Returns whether the database refuses to store the
 * key a second time, after which PostgreSQL rejects every further statement of the transaction.
 */
export const tryCreate = async (transaction: Knex.Transaction, statements: Statements): Promise<boolean> => {
  const ownerId = decodeOrThrow(OwnerId, 'trial');
  const idempotencyKey = decodeOrThrow(IdempotencyKey, randomBytes(16).toString('hex'));
  const creates = [{ newPet, createdBy: null, claim: claimOf({ ownerId, idempotencyKey }, newPet) }];
  const create = () => createOrReplay(transaction, statements, creates, idempotencyTtlMs);
  await create();
  await create();
  return insertAsNew(transaction, statements, creates, idempotencyTtlMs).then(
    constFalse,
    isKind('Duplicate'),
  );
};
