import type { Task } from 'fp-ts/Task';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { DatabaseStatus, PoolUsage } from '../../adapters/knex';
import type { ConsumeQuota, Ports } from '../../core';
import type { StartFailure } from '../failures/start-failure';

/** The adapters behind the core's ports, and what belongs to them. */
export interface Backend {
  readonly ports: Ports;
  /** Counts the requests of each key where RATE_LIMIT is set. */
  readonly consumeQuota: ConsumeQuota | undefined;
  /** Makes a key if there is none and one may be made. Nothing shows it again, so ask when it can be shown. */
  readonly makeFirstKey: TaskEither<StartFailure, string | undefined>;
  /** What keeps the backend from serving, in words that anyone may read; undefined when nothing does. */
  readonly checkReadiness: Task<string | undefined>;
  /** Whether the database file was replaced: what is stored then is lost, and only a new start can help. */
  readonly isFileReplaced: () => boolean;
  /** The pools of connections as they are at the moment of the call. */
  readonly pools: () => ReadonlyArray<PoolUsage>;
  /** What an operator watches; what can't be known is left out. */
  readonly readStatus: Task<Partial<DatabaseStatus>>;
  readonly close: () => Promise<void>;
}
