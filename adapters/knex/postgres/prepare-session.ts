import { TLSSocket } from 'node:tls';
import { readOnlyServerError, rowSecurityError } from '../database/errors';
import type { PostgresTimeouts } from '../database/timeouts';
import { storeTables } from '../database/tables';
import { findSchema, textLiteral } from './schema';
import { setTimeouts } from './server-settings';
import type { Session } from './sessions';
import type { SessionFacts } from './run-statement';

/** Rejects if row-level security would hide rows of the store from this role. */
const refuseHiddenRows = async (session: Session, schema: string): Promise<void> => {
  const { rows } = await session.query<{ readonly name: string }>(
    `select relname as name from pg_class
     where relnamespace = (select oid from pg_namespace where nspname = ${textLiteral(schema)})
       and relname in (${storeTables.map(textLiteral).join()}) and row_security_active(oid)`,
  );
  if (rows.length > 0) throw rowSecurityError(rows.map(({ name }) => name));
};

const certificateExpiryOf = ({ connection: { stream } }: Session): number | undefined =>
  stream instanceof TLSSocket ? Date.parse(stream.getPeerCertificate().valid_to) / 1_000 : undefined;

/**
 * Prepares a new session, and rejects if the server accepts no writes. Sets the session's timeouts, except behind a
 * pooler, where they would apply to other clients too. Recognises a pooler by its made-up process id.
 */
export const prepareSession = async (session: Session, timeouts: PostgresTimeouts): Promise<SessionFacts> => {
  const { rows } = await session.query<{ readonly pid: number; readonly isReadOnly: boolean }>(
    `select pg_backend_pid() as pid, current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
  );
  if (rows[0]?.isReadOnly === true) throw readOnlyServerError();
  const isBehindPooler = rows[0]?.pid !== session.processID;
  if (!isBehindPooler) await session.query(`${setTimeouts(timeouts, 'session')}; set row_security = off`);
  const schema = isBehindPooler ? await findSchema(session) : undefined;
  if (schema !== undefined) await refuseHiddenRows(session, schema);
  return {
    isBehindPooler,
    schema,
    certificateExpirySeconds: certificateExpiryOf(session),
  };
};
