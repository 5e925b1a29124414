import type { IncomingMessage } from 'node:http';

/** A request as the application sees it. */
export interface HttpRequest {
  /** Node's own, which Koa routes. Its socket is the server's alone. */
  readonly message: IncomingMessage;
  /** When nobody waits for the response any more, by `performance.now()`; moved on by the time that the body took to come. */
  readonly deadline: number;
  /** The body, which may be asked for once. Rejects as raw-body does where it is longer than `limit` bytes or breaks off. */
  readonly readBody: (limit: number) => Promise<Buffer>;
}
