import { expect } from 'chai';
import { maxResponseMs } from '../adapters/http/received-request';
import { serverTimeouts as server } from '../adapters/http/server/timeouts';
import { databaseTimeouts as database } from '../adapters/knex';
import { scrapeTimeoutMs } from '../app/serve/readiness';
import { clientTimeouts as client } from '../adapters/client/retry';

/** Time within which the service answers each request and rejects a revoked key (docs/guarantees.md). */
const promisedMs = 5_000;

/** Time for which nginx and HAProxy keep an idle connection to a server by default. */
const proxyIdleMs = 60_000;

/** Time for which `deploy/nginx` keeps an idle connection to the service. */
const nginxIdleMs = 1_000;

/** Title of a test, and time limits that must each be less than the next. */
const orders: ReadonlyArray<readonly [string, ReadonlyArray<number>]> = [
  ['a head, then a body', [server.headersMs, server.requestMs]],
  ['the service answers as promised', [maxResponseMs, promisedMs]],
  ['a request that is held while clients connect has time left', [server.acceptHoldMs, maxResponseMs]],
  ['a proxy closes idle connections first', [proxyIdleMs, server.idleMs]],
  ['a close lingers', [server.lingerMs, server.stopMs]],
  ['a stop waits for responses', [server.acceptBacklogMs + maxResponseMs, server.stopMs]],
  ['a stop waits for nginx to close idle connections', [nginxIdleMs, server.idleGraceMs, server.stopMs]],
  ['a stop waits for first bytes', [server.idleCheckMs, server.firstByteMs, server.stopMs]],
  ['a statement ends before the request', [database.statementMs + database.graceMs, maxResponseMs]],
  ['a SQLite lock ends before the request', [database.sqliteBusyMs + database.graceMs, maxResponseMs]],
  [
    'creates are retried before the request ends',
    [database.createRetryMs + (2 * database.statementMs) / 3, maxResponseMs],
  ],
  ['a revoked key is rejected as promised', [database.keyQueryMs + database.keyTrustMs, promisedMs]],
  [
    'readiness reports the cause',
    [
      Math.max(database.statementMs, database.sqliteBusyMs) + database.graceMs,
      database.readinessMs,
      promisedMs,
    ],
  ],
  ['a scrape ends before its request', [scrapeTimeoutMs, maxResponseMs]],
  [
    'a transaction outlasts a statement',
    [database.keepAwakeMs, database.statementMs, database.idleInTransactionMs],
  ],
  ['a client outlasts the service', [promisedMs, client.attemptMs]],
  [
    'a client backs off within its time',
    [client.firstDelayMs, client.retryReadsForMs, client.maxDelayMs, client.retryCreatesForMs],
  ],
];

describe('Time limits', () => {
  for (const [name, limits] of orders) {
    it(`keep their order: ${name}`, () => {
      limits.reduce((shorter, longer) => {
        expect(shorter).to.be.below(longer);
        return longer;
      });
    });
  }

  it('are positive and fit a timer', () => {
    const all = [server, database, client].flatMap((limits) => Object.entries<number>(limits));
    for (const [name, limit] of all) expect(limit, name).to.be.within(0.1, 2 ** 31 - 1);
  });
});
