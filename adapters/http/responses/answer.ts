import type { Headers } from '../protocol/headers';

/** An HTTP response before it is written. Its body is JSON text, unless its headers have another Content-Type. */
export interface Answer {
  readonly status: number;
  readonly body: string | Buffer;
  readonly headers?: Headers;
}
