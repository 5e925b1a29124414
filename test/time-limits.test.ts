import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requestLimits as request } from '../adapters/http/message/limits';
import { serverTimeouts as server } from '../adapters/http/server/timeouts';
import { databaseTimeouts as database, postgresTimeouts } from '../adapters/knex/database/timeouts';
import { scrapeTimeoutMs } from '../app/serve/service-status';
import { defaults } from '../app/settings/settings';
import { healthCheckMs } from '../app/store/checks/check-ports';
import { clientTimeouts as client } from '../adapters/client/retry';

/** Time within which the service answers each request and rejects a revoked key (docs/guarantees.md). */
const promisedMs = 5_000;

/** Time within which a service without STOP_DELAY stops (docs/operations.md). */
const promisedStopMs = 13_000;

/** Time for which nginx and HAProxy keep an idle connection to a server by default. */
const proxyIdleMs = 60_000;

/** Returns times from a file of `deploy/` in milliseconds. The only group of `pattern` matches the seconds. */
const millisecondsIn = (file: string, pattern: RegExp): ReadonlyArray<number> =>
  Array.from(
    readFileSync(join(__dirname, '../deploy', file), 'utf8').matchAll(pattern),
    ([, seconds]) => Number(seconds) * 1_000,
  );

/** Time for which each proxy keeps an idle connection to the service, if it has a limit. */
const proxyIdlesMs = [
  ...millisecondsIn('nginx/animal-store.conf', /^ {2}keepalive_timeout (\d+)s;/gm).slice(0, 1),
  ...millisecondsIn('caddy/Caddyfile', /keepalive (\d+)s/g),
];

const proxyHeadsMs = [
  ...millisecondsIn('haproxy/haproxy.cfg', /timeout http-request (\d+)s/g),
  ...millisecondsIn('nginx/animal-store.conf', /client_header_timeout (\d+)s/g),
  ...millisecondsIn('caddy/Caddyfile', /read_header (\d+)s/g),
];

/** Times that proxies wait for a body, or for the response to it. */
const proxyRequestsMs = [
  ...millisecondsIn('haproxy/haproxy.cfg', /timeout (?:client|server) (\d+)s/g),
  ...millisecondsIn('caddy/Caddyfile', /response_header_timeout (\d+)s/g),
];

/** Times after which a service that stops is killed. */
const killsMs = [
  ...millisecondsIn('systemd/animal-store.service', /^TimeoutStopSec=(\d+)$/gm),
  ...millisecondsIn('systemd/animal-store@.service', /^TimeoutStopSec=(\d+)$/gm),
  ...millisecondsIn('../compose.yaml', /stop_grace_period: (\d+)s/g),
];

/** Times that health checks wait for an answer. */
const healthChecksMs = [
  healthCheckMs,
  ...millisecondsIn('haproxy/haproxy.cfg', /timeout check (\d+)s/g),
  ...millisecondsIn('check-ready.mjs', /timeoutSeconds = (\d+);/g),
  ...millisecondsIn('caddy/Caddyfile', /health_timeout (\d+)s/g),
  ...millisecondsIn('kubernetes/base/animal-store.yaml', /timeoutSeconds: (\d+)/g),
];

const postgres = postgresTimeouts();

/** Title of a test, and time limits that must each be less than the next. */
const orders: ReadonlyArray<readonly [string, ReadonlyArray<number>]> = [
  ['a head, then a body', [request.headMs, request.requestMs]],
  ['the service answers as promised', [request.responseMs, promisedMs]],
  ['a request that is held while clients connect has time left', [server.acceptHoldMs, request.responseMs]],
  ['a proxy closes idle connections first', [proxyIdleMs, 1_000 * Number(defaults['KEEP_ALIVE_SECONDS'])]],
  ['a close lingers', [request.discardMs, server.stopMs]],
  ['a stop waits for responses', [server.acceptBacklogMs + request.responseMs, server.stopMs]],
  [
    'a stop waits for proxies to close idle connections',
    [Math.max(...proxyIdlesMs), server.idleGraceMs, server.stopMs],
  ],
  [
    'a stop ends as promised, before it is killed',
    [server.acceptBacklogMs + server.stopMs, promisedStopMs, Math.min(...killsMs)],
  ],
  ['a proxy waits longer for a body than the service', [request.requestMs, Math.min(...proxyRequestsMs)]],
  ['a stop waits for first bytes', [server.idleCheckMs, server.firstByteMs, server.stopMs]],
  [
    'a session that is silent ends before the request',
    [postgres.statementMs, postgres.silenceMs + database.cancelHeadStartMs, request.responseMs],
  ],
  [
    'a SQLite lock ends before the request',
    [database.sqliteBusyMs + database.outerMarginMs, request.responseMs],
  ],
  [
    'creates are retried before the request ends',
    [database.separateCallsMs + 2 * postgres.lockMs, request.responseMs],
  ],
  ['a locked count ends in time', [2 * database.quotaLockMs, database.quotaMs, request.responseMs]],
  ['a revoked key is rejected as promised', [database.keyQueryMs + database.keyTrustMs, promisedMs]],
  [
    'readiness reports the cause',
    [
      Math.max(postgres.silenceMs, database.sqliteBusyMs + database.outerMarginMs),
      database.readinessMs,
      request.responseMs,
    ],
  ],
  ['a scrape ends before its request', [scrapeTimeoutMs, request.responseMs]],
  [
    'a transaction outlasts a statement',
    [database.keepAwakeMs, database.statementMs, database.idleInTransactionMs],
  ],
  ['a client outlasts the service', [promisedMs, client.attemptMs]],
  [
    'a client backs off within its time',
    [client.meanFirstDelayMs, client.retryReadsForMs, client.maxDelayMs, client.retryCreatesForMs],
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

  it('of a head are the same in each proxy', () => {
    expect(proxyHeadsMs).to.deep.equal([request.headMs, request.headMs, request.headMs]);
  });

  it('of a health check leave the service the time that it takes to find a cause', () => {
    expect(healthChecksMs).to.have.lengthOf(7);
    expect(Math.min(...healthChecksMs)).to.be.above(database.readinessMs);
    expect(Math.min(...healthChecksMs)).to.be.at.least(promisedMs);
  });

  it('of a role behind PgBouncer are those of a session', () => {
    const page = readFileSync(join(__dirname, '../docs/postgresql.md'), 'utf8');
    const statements = page.matchAll(/^alter role animals set (\w+) = '(\d+)ms';$/gm);
    expect(Array.from(statements, ([, name, ms]) => [name, Number(ms)])).to.deep.equal([
      ['statement_timeout', postgres.statementMs],
      ['lock_timeout', postgres.lockMs],
      ['idle_in_transaction_session_timeout', database.idleInTransactionMs],
    ]);
  });

  it('are positive and fit a timer', () => {
    const all = [server, database, client].flatMap((limits) => Object.entries<number>(limits));
    for (const [name, limit] of all) expect(limit, name).to.be.within(0.1, 2 ** 31 - 1);
  });
});
