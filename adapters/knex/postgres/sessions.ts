/*
 * Life of the sessions of a pool. The driver opens a socket with a timeout. Once the session is prepared, `admit` lets
 * the pool use it. Before each use, the pool asks `isUsable`. If the server is silent, the statement of the session is
 * cancelled, and its socket is closed. `retireAll` makes the pool replace all sessions, because after a failover they
 * may lead to the former primary.
 */

import { Socket } from 'node:net';
import { databaseTimeouts } from '../database/timeouts';
import { withTimeout } from '../database/transactions';
import { type CancellableSession, cancelStatement } from './cancel';

/** Session of the driver `pg`. `connection` is not documented, but only its stream shows that a server is silent. */
export interface Session extends CancellableSession {
  readonly connection: { readonly stream: Socket };
  query<Row>(this: Session, sql: string): Promise<{ readonly rows: ReadonlyArray<Row> }>;
  end(this: Session): Promise<void>;
}

/**
 * Makes a function that creates sockets. A socket is destroyed after it was silent for longer than any statement may
 * take. The pool closes idle connections earlier (`idleTimeoutMillis`), so only a hanging query or a network fault
 * causes such a silence.
 */
export const socketWithTimeout = (silenceMs: number) => (): Socket => {
  const socket = new Socket();
  // Waits longer than `silenceMs`, so that `giveUp` can cancel the statement first. With TLS, the timeout of `giveUp`
  // is on another object than this socket, so both timeouts run.
  return socket.setTimeout(silenceMs + databaseTimeouts.cancelHeadStartMs, () =>
    socket.destroy(silenceError(silenceMs)),
  );
};

const silenceError = (silenceMs: number): Error =>
  new Error(`timed out: PostgreSQL sent nothing for ${silenceMs} ms`);

export interface SessionFacts {
  /** True behind a pooler, where prepared statements can fail. */
  readonly isBehindPooler: boolean;
  /** Schema that statements name (schema.ts), or undefined if they leave it to the search path. */
  readonly schema?: string | undefined;
  /** Unix time in seconds at which the certificate of the server or pooler expires. Undefined without TLS. */
  readonly certificateExpirySeconds?: number | undefined;
}

export interface Sessions {
  /** Returns the facts of the newest session. Before the first session, they assume a pooler. */
  readonly facts: () => SessionFacts;
  /**
   * Lets the pool use a new session. Rejects if `maxHanging` sessions that this process has given up (cancelled and
   * closed) still run on the server.
   */
  readonly admit: (session: Session, facts: SessionFacts) => Promise<void>;
  /** False for a session that was open at the last `retireAll`, so that the pool replaces it. */
  readonly isUsable: (session: Session) => boolean;
  /** Makes the pool replace all sessions that are open now. */
  readonly retireAll: () => void;
}

/**
 * Makes the register of a pool's sessions. A session that is silent for `silenceMs` is given up: its statement is
 * cancelled on the server, and its socket is destroyed. `statement_timeout` is not enough, because a commit that waits
 * for a synchronous standby ignores it.
 */
export const registerSessions = (silenceMs: number, maxHanging: number): Sessions => {
  let facts: SessionFacts = { isBehindPooler: true };
  let usable = new WeakSet<Session>();
  let givenUp = new Set<number>();

  const refuseMoreHanging = async (session: Session): Promise<void> => {
    const { rows } = await session.query<{ readonly pid: number }>(
      // Compares the user and the application name too, because a session of another program may have got the process
      // id of an ended session.
      `select pid from pg_stat_activity where usename = current_user and pid in (${[...givenUp].join()})
         and application_name = current_setting('application_name')`,
    );
    givenUp = new Set(rows.map(({ pid }) => pid));
    if (givenUp.size >= maxHanging)
      throw new Error(`${givenUp.size} sessions that were cancelled still hang on the server`);
  };

  const giveUp = async (session: Session, isBehindPooler: boolean): Promise<void> => {
    const { stream } = session.connection;
    // Counts no session behind a pooler, which sends made-up process ids, and limits its sessions itself.
    if (!isBehindPooler) givenUp.add(session.processID);
    // Reads no answer from now on, because a cancelled commit reports success although the standby may lack the commit.
    stream.pause();
    const cancelled = cancelStatement(session, databaseTimeouts.cancelMs);
    // Keeps the socket open until the server has taken the CancelRequest, because a pooler ignores a request for a
    // session that has ended. Waits only for a short time, so that the caller gets its error.
    await withTimeout(() => cancelled, databaseTimeouts.cancelHeadStartMs).catch(() => undefined);
    stream.destroy(silenceError(silenceMs));
  };

  return {
    facts: () => facts,
    admit: async (session, newest) => {
      facts = newest;
      if (givenUp.size >= maxHanging) await refuseMoreHanging(session);
      session.connection.stream
        .removeAllListeners('timeout')
        .setTimeout(silenceMs, () => void giveUp(session, newest.isBehindPooler));
      usable.add(session);
    },
    isUsable: (session) => usable.has(session),
    retireAll: () => {
      usable = new WeakSet();
    },
  };
};
