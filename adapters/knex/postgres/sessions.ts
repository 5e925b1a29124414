/* Sessions of a pool. After a failover, open sessions may still work, but lead to the former primary. */

import { readOnlyServer } from '../database/errors';

/**
 * SQL condition that is true on a server that accepts writes. Elsewhere it fails its statement, because the rows of a
 * standby or a former primary may be stale. PostgreSQL evaluates it once for each statement, in about 2 µs.
 */
export const acceptsWrites = `cast(case current_setting('transaction_read_only') when 'on' then '${readOnlyServer}' end as integer) is null`;

/** Session of the driver `pg`, which emits `end` once it is over. */
export interface Session {
  readonly once: (event: 'end', listener: () => void) => unknown;
}

/** Sessions of a pool. */
export interface Sessions {
  readonly admit: (session: Session) => void;
  /** True for a session that was admitted since `retireAll`, and whose lifetime is not over. */
  readonly isUsable: (session: Session) => boolean;
  /** Ends the use of all sessions that are open now. */
  readonly retireAll: () => void;
}

const jitter = 0.2;

/**
 * Limits the lifetime of sessions, so that they move to another server even if they work. Lifetimes differ, so that not
 * all sessions reconnect at once.
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
