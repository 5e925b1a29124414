import type { IncomingMessage } from 'node:http';
import { crossOriginHeaders } from '../protocol/cross-origin-headers';
import { deprecationOf } from '../protocol/deprecated';
import type { Headers } from '../protocol/headers';

/** What an answer carries for its request's sake, where no route ever sees the request. */
export const refusalHeaders = (corsOrigins: ReadonlyArray<string>) => {
  const crossOrigin = crossOriginHeaders(corsOrigins);
  return (request: IncomingMessage): Headers => ({
    ...crossOrigin(request),
    ...deprecationOf(request),
  });
};
