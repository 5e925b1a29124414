import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { HttpFailure } from '../responses/http-failures';
import { rawAnswer } from './raw-answer';
import type { refusalHeaders } from './refusal-headers';
import type { Reporter } from '../observability/reporter';

/** How long the sender of a broken request may take to read its answer, in milliseconds. */
const lingering = 1_000;

interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  /** Where in the packet the parser gave up. */
  readonly bytesParsed?: number;
}

const failureOf = (error: ParserError): HttpFailure => {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return { _tag: 'HeadersTooLarge' };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { _tag: 'PayloadTooLarge' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { _tag: 'RequestTimeout' };
    default:
      return { _tag: 'MalformedRequest', reason: 'the request is not valid HTTP/1.1' };
  }
};

/** Whether a packet begins with a HEAD, and it is that one which is broken, not one behind it. */
const beginsWithBrokenHead = ({ rawPacket, bytesParsed }: ParserError): boolean => {
  const parsed = rawPacket?.toString('latin1', 0, bytesParsed) ?? '';
  return parsed.startsWith('HEAD ') && !parsed.includes('\r\n\r\n');
};

/** Whether the broken request is a HEAD, as far as it can be known: what is answered to one has no body. */
const isHead = (error: ParserError, latest: IncomingMessage | undefined): boolean =>
  latest === undefined || latest.complete ? beginsWithBrokenHead(error) : latest.method === 'HEAD';

/** Gives an Error body to what Node's parser refuses or gives up waiting for, and to CONNECT. */
export const answerProtocolErrors = (
  server: Server,
  reportRefusal: Reporter['refusal'],
  headersFor: ReturnType<typeof refusalHeaders>,
): void => {
  const finish = (
    socket: Duplex,
    failure: HttpFailure,
    withBody: boolean,
    request?: IncomingMessage,
  ): void => {
    // An answer before it has ended the connection, and may still be on its way.
    if (!socket.writable) return;
    const { bytes, ...refusal } = rawAnswer(
      failure,
      withBody,
      request === undefined ? {} : headersFor(request),
    );
    socket.end(bytes);
    socket.resume();
    setTimeout(() => socket.destroy(), lingering).unref();
    reportRefusal(refusal);
  };

  const latest = new Map<Duplex, ServerResponse | undefined>();
  server.on('connection', (socket) => {
    socket.once('close', () => latest.delete(socket));
  });
  const remember = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    latest.set(socket, response);
    // Kept until the connection's next request, each would outlive the collector's first generation; and entries that
    // come and go have the Map grow into new tables, which is worse (`requests-in-flight.ts`).
    response.on('close', () => {
      if (request.complete && latest.get(socket) === response) latest.set(socket, undefined);
    });
  };
  server.on('request', remember);
  server.on('checkContinue', remember);
  server.on('checkExpectation', remember);

  /** What is received in full before it on the same connection is answered first. */
  const inTurn = (socket: Duplex, answer: () => void): void => {
    const before = latest.get(socket);
    if (before === undefined || before.closed) answer();
    else before.once('close', answer);
  };

  server.on('connect', (_request, socket: Duplex) => {
    // Node has let go of the connection: without a listener its reset would end the process.
    socket.on('error', () => undefined);
    inTurn(socket, () => {
      finish(socket, { _tag: 'MethodNotAllowed', allowed: ['GET', 'HEAD', 'POST'] }, true);
    });
  });

  const broken = new WeakSet<Duplex>();
  server.on('clientError', (error: ParserError, socket) => {
    // The parser reports each further chunk of a broken request anew.
    if (broken.has(socket)) return;
    broken.add(socket);
    const latestResponse = latest.get(socket);
    const withBody = !isHead(error, latestResponse?.req);
    const answer = (request?: IncomingMessage): void => {
      finish(socket, failureOf(error), withBody, request);
    };
    if (latestResponse === undefined || latestResponse.req.complete) {
      inTurn(socket, answer);
    } else if (latestResponse.headersSent || latestResponse.socket === null) {
      // Its own answer has begun, or another request's comes first: a second one could be taken for either.
      socket.destroy();
    } else answer(latestResponse.req);
  });
};
