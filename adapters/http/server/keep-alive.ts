import type { IncomingMessage, ServerResponse } from 'node:http';

const keepsAlive = ({ headers: { connection }, httpVersion }: IncomingMessage): boolean =>
  connection === undefined ? httpVersion === '1.1' : connection.toLowerCase() === 'keep-alive';

/**
 * Announces when the server closes an idle connection (RFC 9112, section 9.3). Does nothing if the client has asked to
 * close the connection after the response.
 */
export const announceKeepAlive = (
  request: IncomingMessage,
  response: ServerResponse,
  idleSeconds: number,
): void => {
  if (keepsAlive(request)) response.setHeader('Keep-Alive', `timeout=${idleSeconds}`);
};

/** Makes a response the last one of its connection. */
export const closeAfter = (response: ServerResponse): void => {
  response.setHeader('Connection', 'close').removeHeader('Keep-Alive');
};
