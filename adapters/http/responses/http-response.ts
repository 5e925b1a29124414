import type { Headers } from '../protocol/headers';

/** A response before it is written. Without a body it has no Content-Type and no Content-Length of its own. */
export interface HttpResponse {
  readonly status: number;
  /** JSON text, unless `contentType` says otherwise. */
  readonly body?: string | Buffer | undefined;
  readonly contentType?: string | undefined;
  /** Without those of the body, which the writer adds. `Connection: close` ends the connection with this response. */
  readonly headers?: Headers | undefined;
}

export const jsonType = 'application/json';
