import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as immediate } from 'node:timers/promises';
import { unavailable } from '../../../core';
import type { Reporter } from '../observability/reporter';
import { responseTimeout } from '../protocol/limits';
import { pathOf } from '../protocol/request-target';
import { readBody } from '../protocol/read-body';
import { causeOf } from '../responses/cause-of';
import type { HttpFailure } from '../responses/http-failures';
import { type Application, failed, type Outcome } from '../responses/outcome';
import type { AdmissionControl } from './admission-control';
import { awaitBody } from './await-body';
import { type Connection, dequeue, endIfIdle, type Exchange, idOf } from './connection';
import { rejectionTurns } from './rejection-turns';
import { reportExchange } from './report-exchange';
import type { ResponseWriter } from './write-response';

/** These tell how the service is, most of all when it is overloaded. */
const alwaysAdmitted: ReadonlyArray<string> = ['/livez', '/readyz'];

interface Services {
  readonly application: Application;
  readonly admission: AdmissionControl;
  readonly writeResponse: ResponseWriter;
  readonly reporter: Reporter;
  readonly trustedProxies: number;
  readonly isStopping: () => boolean;
}

export type Exchanges = ReturnType<typeof exchanges>;

const overloaded = failed(unavailable('too many requests are waiting'));

const deadlineExceeded = failed(unavailable(new Error('the deadline of the request has passed')));

/** What the server does with the requests of its connections, each in its turn. */
export const exchanges = (services: Services) => {
  const { application, admission, writeResponse, reporter, trustedProxies, isStopping } = services;
  const rejectionTurn = rejectionTurns();

  const leave = (exchange: Exchange): void => {
    if (!exchange.isInFlight) return;
    exchange.isInFlight = false;
    admission.leave();
  };

  /** Only the first decision counts. Who has left while it was made gets a record of it, and no response. */
  const respond = (exchange: Exchange, outcome: Outcome): void => {
    if (exchange.outcome !== undefined) return;
    exchange.outcome = outcome;
    if (exchange.response.destroyed) reportExchange(exchange, reporter, trustedProxies);
    else writeResponse(exchange, outcome.response);
  };

  const decide = (exchange: Exchange, outcome: Outcome): void => {
    // What a request comes to after its deadline is news only where it is a defect.
    if (exchange.outcome === undefined || outcome.failure?._tag === 'Defect') {
      const cause = causeOf(outcome.failure);
      if (cause !== undefined) reporter.error(cause, idOf(exchange));
    }
    respond(exchange, outcome);
    leave(exchange);
  };

  /** Decides an exchange whose deadline has passed; what waits for the turn of its rejection is rejected. */
  const expire = (exchange: Exchange): void => {
    if (exchange.isRefused) respond(exchange, overloaded);
    else decide(exchange, deadlineExceeded);
  };

  const openExchange = (
    connection: Connection,
    message: IncomingMessage,
    response: ServerResponse,
    isRejected: boolean,
  ): Exchange => {
    const began = performance.now();
    const exchange: Exchange = {
      message,
      response,
      connection,
      target: message.url ?? '',
      began,
      ended: undefined,
      id: undefined,
      deadline: began + responseTimeout,
      readBody: (limit) =>
        message.complete ? readBody(message, limit) : awaitBody(exchange, admission, limit),
      outcome: undefined,
      isInFlight: false,
      isContinued: false,
      isRefused: false,
      isRejected,
    };
    connection.current = exchange;
    response.on('close', () => {
      if (exchange.outcome !== undefined) reportExchange(exchange, reporter, trustedProxies);
      // Who has left is not among the connections any more, and what hangs is to give its place back.
      else setTimeout(expire, responseTimeout, exchange).unref();
      dequeue(connection);
      if (isStopping()) endIfIdle(connection);
    });
    return exchange;
  };

  const refuse = async (exchange: Exchange): Promise<void> => {
    exchange.isRefused = true;
    await rejectionTurn();
    respond(exchange, overloaded);
  };

  const work = async (exchange: Exchange): Promise<void> => {
    const outcome = await application(exchange);
    // Written one after the other at the end of a turn, refusals wake their reader once: half the cost.
    if (outcome.failure !== undefined) await immediate();
    decide(exchange, outcome);
  };

  const run = (step: typeof work, exchange: Exchange): void => {
    // Only where an outcome can't even be written: that is no reason to end the process.
    step(exchange).catch((cause: unknown) => {
      leave(exchange);
      exchange.outcome ??= failed({ _tag: 'Defect', cause });
      exchange.response.destroy();
    });
  };

  return {
    /** Works on a request once it is its turn, or refuses it. */
    begin: (connection: Connection, message: IncomingMessage, response: ServerResponse): void => {
      const exchange = openExchange(connection, message, response, false);
      if (alwaysAdmitted.includes(pathOf(exchange.target))) run(work, exchange);
      else {
        exchange.isRejected = !admission.enter(exchange, (isAdmitted) => {
          exchange.isInFlight = isAdmitted;
          run(isAdmitted ? work : refuse, exchange);
        });
      }
      if (exchange.isRejected) run(refuse, exchange);
      else reporter.requestStarted?.();
    },
    /** Answers what the application never sees, and ends the connection. */
    reject: (
      connection: Connection,
      message: IncomingMessage,
      response: ServerResponse,
      failure: HttpFailure,
    ): void => {
      response.shouldKeepAlive = false;
      respond(openExchange(connection, message, response, true), failed(failure));
    },
    /** Decides an exchange from outside, if it is not decided yet. */
    decide,
    expire,
  };
};
