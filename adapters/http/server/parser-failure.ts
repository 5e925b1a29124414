import type { HttpFailure } from '../responses/http-failures';

/** What Node's parser says of a request that it refuses, or has given up waiting for. */
export interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  /** Where in the packet the parser gave up. */
  readonly bytesParsed?: number;
}

export const parserFailure = ({ code }: ParserError): HttpFailure => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { _tag: 'HeadersTooLarge' };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { _tag: 'PayloadTooLarge' };
    // The preface of HTTP/2 (RFC 9113, section 3.4).
    case 'HPE_PAUSED_H2_UPGRADE':
      return { _tag: 'HttpVersionNotSupported' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { _tag: 'RequestTimeout' };
    default:
      return { _tag: 'MalformedRequest', reason: 'the request is not valid HTTP/1.1' };
  }
};

/** Whether a packet begins with a HEAD, and it is that one which is malformed, not one behind it. */
export const isMalformedHead = ({ rawPacket, bytesParsed }: ParserError): boolean => {
  const parsed = rawPacket?.toString('latin1', 0, bytesParsed) ?? '';
  return parsed.startsWith('HEAD ') && !parsed.includes('\r\n\r\n');
};
