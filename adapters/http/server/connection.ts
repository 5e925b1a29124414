import { AsyncResource } from 'node:async_hooks';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { AcceptPriority } from './accept-priority';
import { discard } from '../request';
import { serverTimeouts } from './timeouts';
import type { HttpFailure } from '../errors';
import type { RequestHead } from '../forwarded';
import { isMalformedHeadRequest, type ParserError, parserFailure } from './validate-request';

/** Request listener, such as the callback of a Koa application. If it throws or rejects, the connection is closed. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Parts of a server that its connections share. While `isStopping` is true, each response closes its connection. */
export interface Serving {
  readonly listener: Listener;
  /** Makes the response to a failure that the server detects. The server adds Content-Length, Connection and Date. */
  readonly errorResponse: (failure: HttpFailure, request: RequestHead) => ErrorResponse;
  readonly acceptPriority: AcceptPriority;
  isStopping: boolean;
}

/** Request and its response. `fault` is the reason to reject the request, if any. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly hasBody: boolean;
  readonly fault: HttpFailure | undefined;
}

/** Limit on the requests of a connection that are received, but not started. Above it, the connection is closed. */
const maxWaiting = 100;

const rawText = ({ status, headers, body }: ErrorResponse, isHead: boolean): string => {
  const allHeaders = {
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
    Date: new Date().toUTCString(),
  };
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${isHead ? '' : body}`;
};

/**
 * Connection of a client. Runs one exchange (a request and its response) at a time. Node itself would start a pipelined
 * request during an earlier one, whose response may close the connection.
 */
export class Connection {
  readonly socket: Socket;
  /** Time since which the client has read none of the response that waits in memory. Undefined if none waits. */
  unreadSince: number | undefined;

  private readonly serving: Serving;
  private readonly waiting: Array<() => void> = [];
  private current: ServerResponse | undefined;
  private isPaused = false;
  private parserFailure: HttpFailure | undefined;
  /** True if the connection ignores all requests that it receives from now on. */
  private isClosing = false;
  private ignoredRequests = 0;
  private readBytes = 0;

  constructor(socket: Socket, serving: Serving) {
    this.socket = socket;
    this.serving = serving;
    // Pause again, because Node resumes the socket at the end of each request, and when a listener reads a body.
    socket.on('resume', () => {
      if (this.isPaused) socket.pause();
    });
  }

  get isIdle(): boolean {
    return this.current === undefined && this.waiting.length === 0 && this.socket.writable;
  }

  receive(exchange: Exchange): void {
    const { isIdle } = this;
    const { acceptPriority } = this.serving;
    if (this.isClosing || !this.socket.writable) this.ignoreRequest();
    else if (isIdle && !acceptPriority.isHolding()) this.begin(exchange);
    else if (this.waiting.length > maxWaiting) this.socket.destroy();
    else {
      // Keep the async context, because tracing libraries find the request by it.
      const begin = AsyncResource.bind(() => {
        this.begin(exchange);
      });
      this.waiting.push(begin);
      if (isIdle) acceptPriority.hold(this.startNext);
      else this.pause();
    }
  }

  /** Rejects a request once all earlier requests are answered, and then closes the connection. */
  rejectLast(failure: HttpFailure, request: RequestHead): void {
    if (this.isClosing) return;
    this.isClosing = true;
    const { isIdle } = this;
    this.waiting.push(() => {
      this.end(failure, request);
    });
    if (isIdle) this.startNext();
  }

  failParsing(error: ParserError): void {
    const { socket, current, isClosing } = this;
    if (isClosing || !socket.writable) return;
    // Close without a response if the client has sent nothing. It may have opened the connection in advance, and would
    // take a 408 as the response to its first request.
    if (socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    this.parserFailure = parserFailure(error);
    if (current === undefined || current.req.complete || this.waiting.length > 0) {
      const method = isMalformedHeadRequest(error) ? 'HEAD' : '';
      this.rejectLast(this.parserFailure, { headers: {}, method, url: '', socket });
    } else if (current.headersSent) socket.destroy();
    else this.end(this.parserFailure, current.req);
  }

  /** Makes the current response the last one of the connection, unless its head is already sent. */
  announceStop(): void {
    if (this.current?.headersSent === false) this.closeAfter(this.current);
  }

  /** Updates `unreadSince`, which becomes `now` if the client has read something since the last call. */
  recordUnread(now: number): void {
    const { socket } = this;
    const readBytes = socket.bytesWritten - socket.writableLength;
    if (socket.writableLength === 0) this.unreadSince = undefined;
    else if (this.unreadSince === undefined || readBytes !== this.readBytes) this.unreadSince = now;
    this.readBytes = readBytes;
  }

  private begin({ request, response, hasBody, fault }: Exchange): void {
    const failure = (request.complete ? undefined : this.parserFailure) ?? fault;
    if (failure !== undefined) {
      this.end(failure, request);
      return;
    }
    this.current = response;
    response.on('close', this.finish);
    // Close after a request with Upgrade, because Node drops the bytes that follow it.
    if (this.serving.isStopping || request.headers.upgrade !== undefined) this.closeAfter(response);
    if (!hasBody) {
      this.run(request, response);
      return;
    }
    // Wait until Node has parsed the packet, because a small body is often in the same packet as its head.
    setImmediate(() => {
      // The socket is no longer writable if the body was malformed and the error is already sent.
      if (this.socket.writable) this.run(request, response);
    });
  }

  private run(request: IncomingMessage, response: ServerResponse): void {
    const fail = (): void => {
      response.destroy();
    };
    try {
      const ran = this.serving.listener(request, response);
      if (ran instanceof Promise) ran.catch(fail);
    } catch {
      fail();
    }
  }

  private readonly finish = (): void => {
    this.current = undefined;
    if (this.serving.isStopping) this.socket.end();
    // Start the next request in another tick of the event loop, so that a pipelining client cannot starve others.
    if (this.waiting.length > 0) setImmediate(this.startNext);
    else this.resumeIfEmpty();
  };

  private closeAfter(response: ServerResponse): void {
    response.setHeader('Connection', 'close');
    if (this.waiting.length === 0) return;
    // Continue to read, because closing a socket with unread bytes resets the connection, and the client may lose the
    // response.
    this.isClosing = true;
    this.waiting.length = 0;
    this.isPaused = false;
    this.socket.resume();
  }

  private ignoreRequest(): void {
    this.ignoredRequests += 1;
    if (this.ignoredRequests > maxWaiting) this.socket.destroy();
  }

  /** Stops reading, so that a pipelining client cannot fill the memory. */
  private pause(): void {
    // Pause only once. After Node resumes the socket, its `resume` event follows in the next tick, and the listener
    // pauses it. That pause would have no effect if the socket were already paused here, and Node would read on.
    if (this.isPaused) return;
    this.isPaused = true;
    this.socket.pause();
  }

  /** Resumes reading if no request is queued, and no request that has fully arrived is running. */
  private resumeIfEmpty(): void {
    if (!this.isPaused || this.waiting.length > 0 || this.current?.req.complete === true) return;
    this.isPaused = false;
    this.socket.resume();
  }

  private readonly startNext = (): void => {
    // The socket is no longer writable if the last response had `Connection: close`.
    if (!this.socket.writable) this.waiting.length = 0;
    this.waiting.shift()?.();
    this.resumeIfEmpty();
  };

  /** Answers directly on the socket, because the listener may still use the ServerResponse. Closes the connection. */
  private end(failure: HttpFailure, request: IncomingMessage | RequestHead): void {
    const { socket } = this;
    this.isClosing = true;
    this.isPaused = false;
    this.waiting.length = 0;
    const response = this.serving.errorResponse(failure, request);
    socket.end(rawText(response, request.method === 'HEAD'));
    if ('resume' in request) request.resume();
    discard(socket);
    setTimeout(() => socket.destroy(), serverTimeouts.lingerMs).unref();
  }
}
