import type { Knex } from 'knex';
import type { Limits } from '../database/database';
import { readSettings, type Setting, settingText } from './read-settings';

/** How long a server leaves a transaction its locks in which nothing is asked, in milliseconds. */
const idleInTransactionMs = 10_000;

/** By these the server ends what waits or hangs for too long, in milliseconds. */
export const sessionLimits = (statementTimeout: number) => ({
  statement_timeout: statementTimeout,
  // The rest is left to try those who waited together with one whose row is locked.
  lock_timeout: Math.ceil(statementTimeout / 3),
  // What a process that hangs, or a machine that is gone, has locked is free again after this.
  idle_in_transaction_session_timeout: idleInTransactionMs,
});

interface NodeAnswer {
  readonly success: boolean;
  readonly result: string;
}

/** Citus runs the parts of a statement in sessions of its own, which know only what is set on the role. */
const lockTimeoutOnNodes = async (pool: Knex): Promise<ReadonlyArray<Setting>> => {
  const { rows } = await pool.raw<{ readonly rows: ReadonlyArray<NodeAnswer> }>(
    `select success, result from run_command_on_all_nodes('select setting from pg_settings where name = ''lock_timeout''')`,
  );
  return rows.map(({ success, result }) => ['lock_timeout', success ? result : '0']);
};

const isKept = (milliseconds: number, wanted: number): boolean => milliseconds > 0 && milliseconds <= wanted;

/** Which of the limits hold for the statements of a pool. */
export const limitsOf = async (
  pool: Knex,
  isDistributed: boolean,
  statementTimeout: number,
): Promise<Limits> => {
  const wanted: Readonly<Record<string, number>> = sessionLimits(statementTimeout);
  const here = await readSettings(pool, ...Object.keys(wanted));
  const onNodes = isDistributed ? await lockTimeoutOnNodes(pool) : [];
  const missing = Object.entries(wanted).filter(([name, most]) =>
    [...here, ...onNodes].some(([other, value]) => other === name && !isKept(Number(value), most)),
  );
  const texts = [...[...here].map(settingText), ...onNodes.map((one) => `${settingText(one)} on a node`)];
  return {
    areKept: missing.length === 0,
    text: [...new Set(texts)].sort().join(', '),
    remedy: missing.map(([name, most]) => `alter role current_user set ${name} = '${most}ms'`).join('; '),
  };
};
