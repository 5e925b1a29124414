import * as E from 'fp-ts/Either';
import type { Logger } from 'pino';
import { inMemoryQuota } from '../../adapters/in-memory';
import { type OpenedDatabase, postgresQuota } from '../../adapters/knex';
import type { ConsumeQuota } from '../../core';
import { messageOf } from '../failures';
import type { Settings } from '../settings/settings';

/**
 * Makes the rate limit, if one is set. On PostgreSQL, all instances count together. Otherwise each process counts in
 * memory, because counting together on SQLite would cost a commit for each request.
 */
export const pickQuota = (
  database: OpenedDatabase,
  { RATE_LIMIT }: Settings,
  logger: Logger,
): ConsumeQuota | undefined => {
  if (RATE_LIMIT === undefined) return undefined;
  const local = inMemoryQuota(RATE_LIMIT);
  return database.engine === 'PostgreSQL'
    ? withFallback(postgresQuota(database, RATE_LIMIT), local, logger)
    : local;
};

/** Counts with `local` while `shared` fails, so that reads continue if only writes fail. */
const withFallback = (shared: ConsumeQuota, local: ConsumeQuota, logger: Logger): ConsumeQuota => {
  let retryAt: number | undefined;
  return (ownerId, deadline) => async () => {
    const now = performance.now();
    if (retryAt !== undefined) {
      if (now < retryAt) return local(ownerId, deadline)();
      retryAt = now + recountMs;
    }
    const counted = await shared(ownerId, deadline)();
    if (E.isRight(counted)) {
      retryAt = undefined;
      return counted;
    }
    if (retryAt === undefined)
      logger.warn(
        { reason: messageOf(counted.left.cause) },
        'each instance counts its own requests for RATE_LIMIT, because the database can store no count',
      );
    retryAt = performance.now() + recountMs;
    return local(ownerId, deadline)();
  };
};

/** Time for which this process counts requests itself before it tries the database again. */
const recountMs = 1_000;
