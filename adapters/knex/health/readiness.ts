import type { Task } from 'fp-ts/Task';
import { checkGroups } from './serving-checks';
import { type ErrorKind, errorKindOf } from '../database/errors';
import { withTimeout } from '../database/transactions';
import type { OpenedDatabase } from '../database/opened-database';
import { databaseTimeouts } from '../database/timeouts';

/**
 * Makes a function that returns why the database can't serve requests, or undefined if it can. A create may still fail,
 * for example by a trigger, because only `doctor` tries a create. A result is reused for a second, and no check begins
 * while another one runs.
 */
export const knexReadiness = (database: OpenedDatabase): Task<string | undefined> => {
  let checkedAt = -databaseTimeouts.readinessCacheMs;
  let answer: Promise<string | undefined> = Promise.resolve(undefined);
  let isRunning = false;
  return () => {
    const now = performance.now();
    if (!isRunning && now - checkedAt >= databaseTimeouts.readinessCacheMs) {
      checkedAt = now;
      isRunning = true;
      answer = findObstacle(database).finally(() => {
        isRunning = false;
      });
    }
    return answer;
  };
};

const findObstacle = async (database: OpenedDatabase): Promise<string | undefined> => {
  const groupReasons = await Promise.all(
    checkGroups.map((group) =>
      withTimeout(() => checkGroup(group, database), databaseTimeouts.readinessMs).catch(
        (error: unknown) => reasons[errorKindOf(error)] ?? group.failure,
      ),
    ),
  );
  return groupReasons.find((reason) => reason !== undefined);
};

const noAnswer = 'the database does not answer';
const otherGeneration = 'the database schema belongs to an incompatible version';
const diskFull = 'the disk of the database is full';

const reasons: Readonly<Partial<Record<ErrorKind, string>>> = {
  ReadOnlyServer: 'the database server is read-only',
  LoginRejected: 'the database rejects the login',
  NoRight: 'the role lacks rights',
  RowSecurity: 'row-level security would hide rows from the role',
  NoAnswer: noAnswer,
  ConnectionRefused: noAnswer,
  UnknownHost: noAnswer,
  ServerStarting: noAnswer,
  NewerGeneration: otherGeneration,
  EarlierGeneration: otherGeneration,
  DiskFull: diskFull,
  FileFull: diskFull,
};

const checkGroup = async (
  { checks }: (typeof checkGroups)[number],
  database: OpenedDatabase,
): Promise<string | undefined> => {
  for (const { findFault } of checks) {
    const fault = await findFault(database);
    if (fault !== undefined) return fault.reason;
  }
  return undefined;
};
