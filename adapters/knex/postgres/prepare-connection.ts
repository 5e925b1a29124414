import { TLSSocket } from 'node:tls';
import { readOnlyServerError } from '../database/errors';
import { sessionTimeouts } from './server-settings';
import type { Session } from './sessions';
import type { SessionFacts } from './run-statement';

/**
 * Returns the first schema that exists on the search path with which a session began. Another client of a pooler may
 * have changed `current_schema()`, as pg_dump does.
 */
const readSchema = async (connection: Session): Promise<string | undefined> => {
  const { rows } = await connection.query<{
    readonly path: string;
    readonly role: string;
    readonly schemas: ReadonlyArray<string>;
  }>(
    `select reset_val as path, current_user::text as role,
       array(select nspname::text from pg_namespace where has_schema_privilege(oid, 'usage')) as schemas
     from pg_settings where name = 'search_path'`,
  );
  const [{ path, role, schemas } = { path: '', role: '', schemas: [] }] = rows;
  const names = path.split(',').map((part) => {
    const name = part.trim();
    return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase();
  });
  return names.map((name) => (name === '$user' ? role : name)).find((name) => schemas.includes(name));
};

const certificateExpiryOf = ({ connection: { stream } }: Session): number | undefined =>
  stream instanceof TLSSocket ? Date.parse(stream.getPeerCertificate().valid_to) / 1_000 : undefined;

/**
 * Prepares a new connection, and rejects if the server accepts no writes. Recognizes a connection pooler such as
 * PgBouncer, which sends a made-up process id at the start. Sets the session's timeouts, and makes a statement fail if
 * row-level security would hide rows from it. Sets nothing through a pooler, because it would apply to the pooler's
 * other clients too.
 */
export const prepareConnection = async (
  connection: Session,
  statementTimeoutMs: number,
): Promise<SessionFacts> => {
  const { rows } = await connection.query<{ readonly pid: number; readonly isReadOnly: boolean }>(
    `select pg_backend_pid() as pid, current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
  );
  if (rows[0]?.isReadOnly === true) throw readOnlyServerError();
  const isPooled = rows[0]?.pid !== connection.processID;
  if (!isPooled) {
    const timeouts = Object.entries(sessionTimeouts(statementTimeoutMs));
    const settings = [...timeouts.map(([name, ms]) => `${name} = ${ms}`), 'row_security = off'];
    await connection.query(settings.map((setting) => `set ${setting}`).join('; '));
  }
  return {
    isPooled,
    schema: isPooled ? await readSchema(connection) : undefined,
    certificateExpirySeconds: certificateExpiryOf(connection),
  };
};
