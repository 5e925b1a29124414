import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as immediate } from 'node:timers/promises';
import { unavailable } from '../../../core';
import type { Reporter } from '../observability/reporter';
import { drainBody } from '../protocol/drain-body';
import { responseTimeout } from '../protocol/limits';
import { pathOf } from '../protocol/path-of';
import { readBody } from '../protocol/read-body';
import { requestId } from '../protocol/request-id';
import { causeOf } from '../responses/cause-of';
import type { HttpFailure } from '../responses/http-failures';
import { type Application, failed, type Outcome } from '../responses/outcome';
import type { AdmissionControl } from './admission-control';
import { type Connection, dequeue, endConnection, type Exchange } from './connection';
import { rejectionTurns } from './rejection-turns';
import { requestRecord } from './request-record';
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

const hasUnreadBody = ({ headers, complete }: IncomingMessage): boolean =>
  !complete && (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0');

const expectsContinue = ({ headers, httpVersion }: IncomingMessage, limit: number): boolean =>
  headers.expect !== undefined &&
  // HTTP/1.0 knows no interim responses (RFC 9110, section 10.1.1).
  httpVersion === '1.1' &&
  Number(headers['content-length'] ?? 0) <= limit;

/** Whether somebody still waits for the response. */
const isWanted = ({ outcome, response }: Exchange): boolean => outcome === undefined && !response.destroyed;

/** What the server does with the requests of its connections, each in its turn. */
export const exchanges = (services: Services) => {
  const { application, admission, writeResponse, reporter, trustedProxies, isStopping } = services;

  const rejectionTurn = rejectionTurns();

  const leave = (exchange: Exchange): void => {
    if (!exchange.isInFlight) return;
    exchange.isInFlight = false;
    admission.leave();
  };

  /** For a connection whose client was told before the stop that it may be used again. */
  const endIfStopping = ({ current, socket }: Connection): void => {
    if (isStopping() && current === undefined) socket.end();
  };

  const report = (exchange: Exchange): void => {
    const record = requestRecord(exchange, trustedProxies);
    if (!exchange.isRejected) reporter.requestEnded(record);
    else {
      const { requestId, clientAddress } = record;
      reporter.requestRejected({ requestId, status: exchange.response.statusCode, clientAddress });
    }
  };

  const write = (
    { message, response, connection, id, isContinued, isRejected }: Exchange,
    outcome: Outcome,
  ): void => {
    const isUnread = hasUnreadBody(message);
    const closes =
      isStopping() ||
      !response.shouldKeepAlive ||
      outcome.response.headers?.['Connection'] === 'close' ||
      // Without a 100 (Continue) the client may or may not send its body: only a new connection is unambiguous.
      (message.headers.expect !== undefined && !isContinued);
    const lingers = closes && (isUnread || isRejected || connection.waiting.length > 0);
    if (isUnread) {
      drainBody(message);
      message.once('end', () => {
        endIfStopping(connection);
      });
    }
    if (closes) endConnection(connection);
    writeResponse({ message, response, requestId: id, closes, lingers }, outcome.response);
  };

  /** Only the first decision counts. Who has left while it was made gets a record of it, and no response. */
  const respond = (exchange: Exchange, outcome: Outcome): void => {
    if (exchange.outcome !== undefined) return;
    exchange.outcome = outcome;
    if (exchange.response.destroyed) report(exchange);
    else write(exchange, outcome);
  };

  const decide = (exchange: Exchange, outcome: Outcome): void => {
    // What a request comes to after its deadline is news only where it is a defect.
    if (exchange.outcome === undefined || outcome.failure?._tag === 'Defect') {
      const cause = causeOf(outcome.failure);
      if (cause !== undefined) reporter.error(cause, exchange.id);
    }
    respond(exchange, outcome);
    leave(exchange);
  };

  const openExchange = (
    connection: Connection,
    message: IncomingMessage,
    response: ServerResponse,
    isRejected: boolean,
  ): Exchange => {
    const began = performance.now();

    /** Time in which the client sends is the client's: the request is not worked on, and its deadline waits. */
    const awaitBody = async (limit: number): Promise<Buffer> => {
      exchange.isContinued = expectsContinue(message, limit);
      if (exchange.isContinued) response.writeContinue();
      const asked = performance.now();
      const { deadline } = exchange;
      exchange.deadline = Infinity;
      if (exchange.isInFlight) admission.pause();
      exchange.isInFlight = false;
      const body = await readBody(message, limit);
      exchange.deadline = deadline + performance.now() - asked;
      exchange.isInFlight = await admission.reenter(() => isWanted(exchange));
      if (!exchange.isInFlight) throw new Error('nobody waits for the response any more');
      return body;
    };

    const exchange: Exchange = {
      message,
      response,
      connection,
      target: message.url ?? '',
      began,
      id: requestId(message),
      deadline: began + responseTimeout,
      readBody: (limit) => (message.complete ? readBody(message, limit) : awaitBody(limit)),
      outcome: undefined,
      isInFlight: false,
      isContinued: false,
      isRejected,
    };
    connection.current = exchange;
    response.on('close', () => {
      if (exchange.outcome !== undefined) report(exchange);
      dequeue(connection);
      endIfStopping(connection);
    });
    return exchange;
  };

  /** Whether a request may be worked on, once it is its turn. */
  const admit = async (exchange: Exchange): Promise<boolean> => {
    const entered = admission.enter(() => isWanted(exchange));
    exchange.isRejected = entered === false;
    if (!exchange.isRejected) reporter.requestStarted?.();
    exchange.isInFlight = typeof entered === 'boolean' ? entered : await entered;
    return exchange.isInFlight;
  };

  const serve = async (exchange: Exchange): Promise<void> => {
    if (alwaysAdmitted.includes(pathOf(exchange.target))) reporter.requestStarted?.();
    else if (!(await admit(exchange))) {
      await rejectionTurn();
      respond(exchange, overloaded);
      return;
    }
    const outcome = await application(exchange);
    // Written one after the other at the end of a turn, refusals wake their reader once: half the cost.
    if (outcome.failure !== undefined) await immediate();
    decide(exchange, outcome);
  };

  return {
    begin: (connection: Connection, message: IncomingMessage, response: ServerResponse): void => {
      const exchange = openExchange(connection, message, response, false);
      // Only where an outcome can't even be written: that is no reason to end the process.
      serve(exchange).catch((cause: unknown) => {
        leave(exchange);
        exchange.outcome ??= failed({ _tag: 'Defect', cause });
        response.destroy();
      });
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
  };
};
