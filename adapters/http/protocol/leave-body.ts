import type { IncomingMessage, ServerResponse } from 'node:http';
import { discardRest } from './discard-rest';

const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** Has an answer not wait for a body that nobody has read. */
export const leaveBody = (request: IncomingMessage, response: ServerResponse): void => {
  if (!announcesBody(request) || request.complete) return;
  // Without a 100 (Continue) the client may or may not send the body: only a new connection is unambiguous.
  if (request.headers.expect !== undefined) response.setHeader('Connection', 'close');
  discardRest(request);
};
