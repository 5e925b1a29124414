import { AsyncResource } from 'node:async_hooks';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AcceptPriority } from './accept-priority';
import { closeIfEarly, discard, hasBody } from './early-response';
import { serverTimeouts } from './timeouts';
import {
  isMalformedHeadRequest,
  type ParserError,
  parserFailure,
  type ServerFailure,
  validateRequest,
} from './validate-request';

/**
 * Request listener that the server serves, as for `http.createServer`: the callback of Koa, an Express application or
 * the handler of Fastify.
 */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Head of a request. Its texts are empty if Node could not parse the request. */
export type RequestHead = Pick<IncomingMessage, 'headers' | 'method' | 'url' | 'socket'>;

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Options of `startHttpServer`. */
export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  /** Maximum number of open connections. Further ones are closed at once. */
  readonly maxConnections: number;
  /** Makes the response to a failure. The server adds Content-Length, Connection and Date. */
  readonly errorResponse: (failure: ServerFailure, request: RequestHead) => ErrorResponse;
  /** Called for each response that the server sends because it does not give the request to the listener. */
  readonly onRejected?: (request: RequestHead, status: number) => void;
  /** Called for each connection above `maxConnections`. */
  readonly onConnectionRefused?: () => void;
}

/** Listener and callbacks of a server, which all its connections share. */
export interface Serving extends Pick<HttpServerOptions, 'errorResponse'> {
  readonly listener: Listener;
  readonly onRejected: HttpServerOptions['onRejected'] | undefined;
  readonly acceptPriority: AcceptPriority;
  isStopping: boolean;
}

/** Maximum number of requests that are received, but not started. */
const maxWaiting = 100;

const connections = new WeakMap<Duplex, Connection>();

export const connectionOf = (socket: Duplex): Connection | undefined => connections.get(socket);

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
 * Connection of a client. Runs one exchange (a request and its response) at a time, because Node would start a
 * pipelined request while an earlier one runs. index.ts makes it, and passes it each request and each parser error.
 */
export class Connection {
  readonly socket: Socket;
  /** Time since which the client has read nothing, or undefined if no response waits in memory. */
  unreadSince: number | undefined;

  private readonly serving: Serving;
  private readonly waiting: Array<() => void> = [];
  private current: ServerResponse | undefined;
  private hasRun = false;
  private isPaused = false;
  private deadline = Infinity;
  private parserFailure: ServerFailure | undefined;
  /** True if the connection answers no further request. */
  private isClosing = false;
  private ignoredRequests = 0;
  private readBytes = 0;

  constructor(socket: Socket, serving: Serving) {
    this.socket = socket;
    this.serving = serving;
    connections.set(socket, this);
    // Node resumes the socket at the end of each request, and when a listener reads a body.
    socket.on('resume', () => {
      if (this.isPaused) socket.pause();
    });
  }

  get isIdle(): boolean {
    return this.current === undefined && this.waiting.length === 0 && this.socket.writable;
  }

  receive(request: IncomingMessage, response: ServerResponse): void {
    const { isIdle } = this;
    const { acceptPriority } = this.serving;
    if (this.isClosing || !this.socket.writable) this.ignoreRequest();
    else if (isIdle && !acceptPriority.isHolding()) this.begin(request, response);
    else if (this.waiting.length > maxWaiting) this.socket.destroy();
    else {
      // Tracing libraries find the request by its async context.
      const arrivedAt = isIdle ? performance.now() : undefined;
      const begin = AsyncResource.bind(() => {
        this.begin(request, response, arrivedAt);
      });
      this.waiting.push(begin);
      if (isIdle) acceptPriority.hold(this.startNext);
      else this.pause();
    }
  }

  /** Answers a request that ends the connection, after all earlier ones. */
  rejectLast(failure: ServerFailure, request: RequestHead): void {
    if (this.isClosing) return;
    this.isClosing = true;
    const { isIdle } = this;
    this.waiting.push(() => {
      this.reject(failure, request);
    });
    if (isIdle) this.startNext();
  }

  failParsing(error: ParserError): void {
    const { socket, current, isClosing } = this;
    if (isClosing || !socket.writable) return;
    // A client may open a connection before it has a request. Such a client would take a 408 as the response to its
    // first request.
    if (socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    this.parserFailure = parserFailure(error);
    if (current === undefined || current.req.complete || this.waiting.length > 0) {
      const method = isMalformedHeadRequest(error) ? 'HEAD' : '';
      this.rejectLast(this.parserFailure, { headers: {}, method, url: '', socket });
    } else if (current.headersSent) socket.destroy();
    else if (this.hasRun) this.end(this.parserFailure, current.req);
    else this.reject(this.parserFailure, current.req);
  }

  deadlineOf(request: IncomingMessage): number | undefined {
    return this.current?.req === request ? this.deadline : undefined;
  }

  /** Makes the current response the last one, if its head is not yet sent. */
  announceStop(): void {
    if (this.current?.headersSent === false) this.closeAfter(this.current);
  }

  /**
   * Answers 503 if the listener has missed the deadline, which moves while the body arrives. Records since when the
   * client has read nothing. index.ts calls it every 500 ms.
   */
  sweep(now: number): void {
    const { socket, current } = this;
    const readBytes = socket.bytesWritten - socket.writableLength;
    if (socket.writableLength === 0) this.unreadSince = undefined;
    else if (this.unreadSince === undefined || readBytes !== this.readBytes) this.unreadSince = now;
    this.readBytes = readBytes;
    if (current === undefined || current.headersSent || !socket.writable) return;
    if (!current.req.complete) this.deadline = now + serverTimeouts.responseMs;
    else if (now > this.deadline + serverTimeouts.graceMs) {
      const cause = new Error(`the request was not answered within ${serverTimeouts.responseMs / 1_000} s`);
      this.end({ _tag: 'Unavailable', cause }, current.req);
    }
  }

  private begin(request: IncomingMessage, response: ServerResponse, arrivedAt = performance.now()): void {
    const failure = (request.complete ? undefined : this.parserFailure) ?? validateRequest(request);
    if (failure !== undefined) {
      this.reject(failure, request);
      return;
    }
    this.current = response;
    this.hasRun = false;
    this.deadline = arrivedAt + serverTimeouts.responseMs;
    response.on('close', this.finish);
    // Node drops the bytes that follow a request with Upgrade.
    if (this.serving.isStopping || request.headers.upgrade !== undefined) this.closeAfter(response);
    if (hasBody(request)) this.runWithBody(request, response);
    else this.run(request, response);
  }

  private runWithBody(request: IncomingMessage, response: ServerResponse): void {
    closeIfEarly(response, () => {
      this.isClosing = true;
    });
    // Waits until Node has parsed the packet, because a small body is often in the same packet as its head.
    setImmediate(() => {
      if (!request.complete) {
        request.once('end', () => {
          this.deadline = performance.now() + serverTimeouts.responseMs;
        });
      }
      // The socket is not writable if the body has already failed.
      if (this.socket.writable) this.run(request, response);
    });
  }

  private run(request: IncomingMessage, response: ServerResponse): void {
    const fail = (): void => {
      response.destroy();
    };
    this.hasRun = true;
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
    // Later requests start in another turn of the event loop, so that a client that pipelines cannot starve others.
    if (this.waiting.length > 0) setImmediate(this.startNext);
    else this.resumeIfEmpty();
  };

  private closeAfter(response: ServerResponse): void {
    response.setHeader('Connection', 'close');
    if (this.waiting.length === 0) return;
    // Reads on, because closing a socket with unread bytes resets the connection, and the client may lose the response.
    this.isClosing = true;
    this.waiting.length = 0;
    this.isPaused = false;
    this.socket.resume();
  }

  private ignoreRequest(): void {
    this.ignoredRequests += 1;
    if (this.ignoredRequests > maxWaiting) this.socket.destroy();
  }

  /** Stops reading, so that a client that pipelines cannot fill the memory. */
  private pause(): void {
    // Node may have resumed the socket, but emits `resume` only in the next tick. A second call would prevent the pause
    // that follows this event.
    if (this.isPaused) return;
    this.isPaused = true;
    this.socket.pause();
  }

  /** Reads on if no complete request waits or runs. */
  private resumeIfEmpty(): void {
    if (!this.isPaused || this.waiting.length > 0 || this.current?.req.complete === true) return;
    this.isPaused = false;
    this.socket.resume();
  }

  private readonly startNext = (): void => {
    // The socket is not writable if the last response had `Connection: close`.
    if (!this.socket.writable) this.waiting.length = 0;
    this.waiting.shift()?.();
    this.resumeIfEmpty();
  };

  private reject(failure: ServerFailure, request: IncomingMessage | RequestHead): void {
    const status = this.end(failure, request);
    this.serving.onRejected?.(request, status);
  }

  /** Writes the last response to the socket itself, because the listener may still use the ServerResponse. */
  private end(failure: ServerFailure, request: IncomingMessage | RequestHead): number {
    const { socket } = this;
    this.isClosing = true;
    this.isPaused = false;
    this.waiting.length = 0;
    const response = this.serving.errorResponse(failure, request);
    socket.end(rawText(response, request.method === 'HEAD'));
    if ('resume' in request) request.resume();
    discard(socket);
    setTimeout(() => socket.destroy(), serverTimeouts.lingerMs).unref();
    return response.status;
  }
}
