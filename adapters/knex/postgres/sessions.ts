/* Sessions of a pool. After a failover, open sessions may still work, but lead to the former primary. */

import { readOnlyServer } from '../database/errors';

/**
 * SQL condition that is true on a server that accepts writes. On other servers it makes the statement fail, because the
 * rows of a standby or a former primary may be stale. PostgreSQL evaluates it once for each statement, in about 2 µs.
 */
export const acceptsWrites = `cast(case current_setting('transaction_read_only') when 'on' then '${readOnlyServer}' end as integer) is null`;

/** Session of the driver `pg`, which emits the event `end` once the session is closed. */
export interface Session {
  readonly once: (event: 'end', listener: () => void) => unknown;
}

/** Register of the sessions of a pool, which decides how long the pool may use each. */
export interface Sessions {
  readonly admit: (session: Session) => void;
  /** True for a session that was admitted after the last `retireAll`, and whose lifetime has not ended. */
  readonly isUsable: (session: Session) => boolean;
  /** Makes `isUsable` return false for all sessions that were admitted before. */
  readonly retireAll: () => void;
}

const jitter = 0.2;

/**
 * Limits the lifetime of sessions, because after a failover a session may still work but lead to the former primary.
 * Lifetimes differ, so that not all sessions reconnect at once.
 */
export const limitSessions = (lifetimeMs: number): Sessions => {
  const ends = new Map<Session, number>();
  return {
    admit: (session) => {
      ends.set(session, performance.now() + lifetimeMs * (1 - jitter * Math.random()));
      session.once('end', () => ends.delete(session));
    },
    isUsable: (session) => performance.now() < (ends.get(session) ?? 0),
    retireAll: () => {
      ends.clear();
    },
  };
};
