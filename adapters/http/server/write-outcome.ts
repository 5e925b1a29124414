import type { IncomingMessage } from 'node:http';
import { drainBody } from '../protocol/drain-body';
import type { Outcome } from '../responses/outcome';
import { endConnection, endIfIdle, type Exchange, idOf } from './connection';
import type { ResponseWriter } from './write-response';

interface Services {
  readonly writeResponse: ResponseWriter;
  readonly isStopping: () => boolean;
}

const hasUnreadBody = ({ headers, complete }: IncomingMessage): boolean =>
  !complete && (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0');

/** Writes what an exchange came to, and decides whether its connection ends with it. */
export const writeOutcome = (
  exchange: Exchange,
  outcome: Outcome,
  { writeResponse, isStopping }: Services,
): void => {
  const { message, response, connection, isContinued, isRejected } = exchange;
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
      if (isStopping()) endIfIdle(connection);
    });
  }
  if (closes) endConnection(connection);
  writeResponse({ message, response, requestId: idOf(exchange), closes, lingers }, outcome.response);
};
