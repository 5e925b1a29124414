import { STATUS_CODES } from 'node:http';
import { malformed, type ServerFailure } from '../message/failures';
import type { Rejection } from './server-state';

/** Returns the whole response of a rejection as text, with a header that closes the connection. */
export const rejectionText = ({ status, headers, body }: Rejection, isHead: boolean): string => {
  const allHeaders = {
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
    Date: new Date().toUTCString(),
  };
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${isHead ? '' : body}`;
};

export interface ParserError extends Error {
  readonly code?: string;
  /** Fixed text of Node's parser, such as `Invalid header token`. It never contains text from the client. */
  readonly reason?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** Returns the failure of a request that Node's parser has rejected. */
export const parserFailure = ({ code, reason }: ParserError): ServerFailure => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { _tag: 'HeadersTooLarge' };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { _tag: 'PayloadTooLarge', hasLongChunkExtensions: true };
    case 'HPE_PAUSED_H2_UPGRADE':
      return { _tag: 'HttpVersionNotSupported' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { _tag: 'RequestTimeout' };
    case 'HPE_INVALID_EOF_STATE':
      return malformed(
        'the connection ended before the request was complete; send all of its headers and body',
      );
    default:
      return malformed(
        `the request is not valid HTTP/1.1${reason === undefined ? '' : `: ${lowerFirstWord(reason)}`}`,
      );
  }
};

const lowerFirstWord = (text: string): string =>
  text.replace(/^[A-Z](?=[a-z]+ )/, (letter) => letter.toLowerCase());

/** True if the parser failed in a HEAD request, whose response must have no body. */
export const isMalformedHeadRequest = ({ rawPacket, bytesParsed }: ParserError): boolean => {
  const parsed = rawPacket?.toString('latin1', 0, bytesParsed) ?? '';
  return parsed.split('\r\n\r\n').at(-1)?.startsWith('HEAD ') === true;
};
