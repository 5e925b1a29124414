import type { IncomingMessage } from 'node:http';

/** Whether a client sends its body, of so many bytes at most, only once it is told to (RFC 9110, section 10.1.1). */
export const expectsContinue = ({ headers, httpVersion }: IncomingMessage, limit: number): boolean =>
  headers.expect !== undefined &&
  // HTTP/1.0 knows no interim responses.
  httpVersion === '1.1' &&
  Number(headers['content-length'] ?? 0) <= limit;
