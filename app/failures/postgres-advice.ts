import { errorCode } from './error-code';

/** By the error codes of Node's sockets and TLS, and by the SQLSTATE of PostgreSQL (Appendix A of its manual). */
const byCode: ReadonlyArray<readonly [RegExp, string]> = [
  [/^ECONNREFUSED$/, 'start PostgreSQL there, or set the host and port in DATABASE_URL'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'no machine has that name: set the host in DATABASE_URL'],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNRESET)$/,
    'see that the network lets this machine reach the host and port in DATABASE_URL',
  ],
  [/^28/, 'set the user and the password in DATABASE_URL to ones that the server takes (pg_hba.conf)'],
  [/^3D000$/, 'make that database, or set its name in DATABASE_URL'],
  [/^(42501|25006)$/, 'grant this user to create tables and to write in that database'],
  [/^(53300|53400)$/, 'raise max_connections of the server, or set POSTGRES_POOL_SIZE lower'],
  [/^(53100|53200)$/, 'make room on the server: its disk or its memory is full'],
  [/^(57P03|57P01|57P02)$/, 'wait until the server has started, and try again'],
  [
    /CERT|SIGNATURE|ERR_TLS|ISSUER/,
    'set sslrootcert in DATABASE_URL to the certificate of who signed that of the server',
  ],
];

const byText: ReadonlyArray<readonly [RegExp, string]> = [
  [/does not support SSL/, 'switch TLS on in the server, or leave sslmode out of DATABASE_URL'],
  [/password must be a string|no password/, 'put the password into DATABASE_URL'],
  [
    /timeout|Timeout|timed out/,
    'see that the server answers, and that the network lets this machine reach it',
  ],
];

/** What to do about a PostgreSQL server that can't be used for this cause; undefined where that tells nothing. */
export const postgresAdvice = (cause: unknown): string | undefined => {
  const code = errorCode(cause) ?? '';
  const text = cause instanceof Error ? cause.message : '';
  return (byCode.find(([codes]) => codes.test(code)) ?? byText.find(([words]) => words.test(text)))?.[1];
};
