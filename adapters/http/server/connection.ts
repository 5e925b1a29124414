import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ServerFailure } from '../message/failures';
import { requestLimits } from '../message/limits';
import { beginToCollectBody, hasBody, type ServedRequest } from '../message/request';
import { checkHead } from './check-head';
import { isMalformedHeadRequest, type ParserError, parserFailure, rejectionText } from './rejection';
import { RequestParts } from './request-parts';
import type { RequestHead, ServerState } from './server-state';

/**
 * State of a connection. Node's parser receives bytes in Idle, and in Running until the end of the body.
 *
 *   Idle ── request ──▶ Running ── response sent ──▶ Idle, or Waiting if the client has sent more
 *   Idle ── bytes that `RequestQueue` holds ──▶ Waiting ── released ──▶ Idle
 *   Idle, Running ── failure, or response that closes the connection ──▶ Closing
 *
 * Bytes stay in the socket after the body and in Waiting, and are discarded in Closing. A client can half-close in any
 * state.
 */
type ConnectionState = { readonly _tag: 'Idle' | 'Waiting' | 'Closing' } | Running;

interface Running {
  readonly _tag: 'Running';
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const idle: ConnectionState = { _tag: 'Idle' };
const waiting: ConnectionState = { _tag: 'Waiting' };
const closing: ConnectionState = { _tag: 'Closing' };

/**
 * Connection of a client. Runs one exchange (a request and its response) at a time. Node itself would parse and start
 * pipelined requests at once. These requests could fill the memory, and run although an earlier response closes the
 * connection. This class therefore passes bytes to Node's listeners only when the next request may start.
 */
export class Connection {
  readonly socket: Socket;

  private readonly server: ServerState;
  private readonly parse: (bytes: Buffer) => void;
  private readonly endParsing: () => void;
  private readonly parts = new RequestParts();
  private state = idle;
  /** True if `RequestQueue` has released the bytes that the socket emits next. */
  private mayBegin = false;
  /** Time for which `RequestQueue` has held bytes of the next request. */
  private heldMs = 0;
  private discardedBytes = 0;
  private isHalfClosed = false;

  constructor(socket: Socket, server: ServerState) {
    this.socket = socket;
    this.server = server;
    this.parse = takeListeners(socket, 'data');
    this.endParsing = takeListeners(socket, 'end');
    socket.on('data', this.receive).on('end', this.halfClose);
    // Replaces Node's way to close a connection, by which the client could lose the last response.
    socket.destroySoon = this.close;
  }

  private readonly receive = (bytes: Buffer): void => {
    if (this.state._tag === 'Idle' && !this.mayBegin && !this.server.requestQueue.tryBegin()) this.hold();
    this.mayBegin = false;
    let rest = bytes;
    while (rest.length > 0 && this.mayParse()) {
      const length = this.parts.nextLength(rest);
      const part = length === rest.length ? rest : rest.subarray(0, length);
      rest = rest.subarray(length);
      this.parse(part);
    }
    if (rest.length === 0) return;
    // Puts later requests back into the socket, which stops reading when its buffer is full.
    if (this.state._tag !== 'Closing') this.socket.pause().unshift(rest);
    else if ((this.discardedBytes += rest.length) > requestLimits.discardedBytes) this.socket.pause();
  };

  /** Waits until `RequestQueue` releases the request. */
  private hold(): void {
    this.state = waiting;
    const heldSince = performance.now();
    this.server.requestQueue.hold(() => {
      this.heldMs += performance.now() - heldSince;
      this.mayBegin = true;
      this.release();
    });
  }

  private mayParse(): boolean {
    const { socket, state } = this;
    // Stops at a destroyed socket, because Node may already have given its parser to another connection.
    if (socket.destroyed) return false;
    return state._tag === 'Idle' || (state._tag === 'Running' && !state.request.complete);
  }

  /** Begins an exchange with a request whose head Node has parsed. */
  begin(request: ServedRequest, response: ServerResponse): void {
    // Close if Node has parsed a second request during an exchange, because it could be answered first.
    if (this.state._tag !== 'Idle') {
      this.socket.destroy();
      return;
    }
    const fault = checkHead(request, this.parts);
    if (fault !== undefined) {
      this.reject(fault, request);
      return;
    }
    const running: Running = { _tag: 'Running', request, response };
    this.state = running;
    if (this.heldMs > 0) {
      request.heldMs = this.heldMs;
      this.heldMs = 0;
    }
    response.on('close', this.finish);
    // Close the connection after a request with Upgrade, because Node drops the bytes that follow the request.
    if (this.server.isStopping || request.headers.upgrade !== undefined) closeAfter(response);
    else if (response.shouldKeepAlive) {
      response.setHeader('Keep-Alive', `timeout=${this.server.idleSeconds}`);
    }
    if (!hasBody(request)) {
      void this.start(running);
      return;
    }
    this.parts.startBody(Number(request.headers['content-length'] ?? 0));
    // Wait until Node has parsed the packet. A small body is often in the same packet as its head, and is then complete
    // when the listener starts.
    process.nextTick(() => {
      if (this.state !== running || !this.socket.writable) return;
      // Leave a body after `Expect: 100-continue` unread, because reading it would send the 100 (Continue).
      if (request.headers.expect === undefined) beginToCollectBody(request);
      void this.start(running);
    });
  }

  private async start({ request, response }: Running): Promise<void> {
    try {
      await this.server.listener(request, response);
    } catch {
      response.destroy();
    }
  }

  private readonly finish = (): void => {
    if (this.state._tag !== 'Running') return;
    // Close if Node and `parts` disagree on the end of a body, because Node could take its rest for another request.
    const isLost = this.state.request.complete && !this.parts.endedAtBlankLine;
    if (this.server.isStopping || isLost) {
      this.close();
      return;
    }
    this.state = this.socket.readableLength > 0 ? waiting : idle;
    // Start the next request in another tick of the event loop, so that a pipelining client can't starve other clients.
    if (this.state._tag === 'Waiting') setImmediate(this.release);
    else this.endIfHalfClosed();
  };

  private readonly release = (): void => {
    if (this.state._tag !== 'Waiting') return;
    this.state = idle;
    this.socket.resume();
  };

  private readonly halfClose = (): void => {
    this.isHalfClosed = true;
    this.endIfHalfClosed();
  };

  /** Reports the half-close to Node only after the current response, because Node would drop this response. */
  private endIfHalfClosed(): void {
    if (this.isHalfClosed && this.mayParse()) this.endParsing();
  }

  private readonly close = (): void => {
    const { socket, state } = this;
    const isReceiving = socket.readableLength > 0 || (state._tag === 'Running' && !state.request.complete);
    this.end(isReceiving);
  };

  /**
   * Ends the socket after the last response. If `lingers` is true, closes the socket only after `discardMs`. Closing it
   * with unread bytes would reset the connection, and the client could lose the response.
   */
  private end(lingers: boolean): void {
    const { socket } = this;
    this.state = closing;
    socket.end(() => {
      if (!lingers) socket.destroy();
    });
    if (!lingers) return;
    socket.resume();
    setTimeout(() => socket.destroy(), requestLimits.discardMs).unref();
  }

  /** Answers on the socket itself, because the listener may use the ServerResponse. Then closes the connection. */
  reject(failure: ServerFailure, request: RequestHead): void {
    const rejection = this.server.rejectRequest(failure, request);
    this.socket.write(rejectionText(rejection, request.method === 'HEAD'));
    this.end(true);
  }

  failParsing(error: ParserError): void {
    const { socket, state } = this;
    if (state._tag === 'Closing' || !socket.writable) return;
    // Close without a response if the client has sent nothing. A client that connects in advance would take a 408 as
    // the response to its first request.
    if (socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    const failure = parserFailure(error);
    if (state._tag !== 'Running') {
      const method = isMalformedHeadRequest(error) ? 'HEAD' : '';
      this.reject(failure, { headers: {}, method, url: '', socket });
    } else if (state.response.headersSent) socket.destroy();
    else this.reject(failure, state.request);
  }

  get isIdle(): boolean {
    return this.state._tag === 'Idle' && this.socket.writable && !this.parts.isInsideRequest;
  }

  /** Makes the current response the last one of the connection. Has no effect if its head is already sent. */
  announceStop(): void {
    if (this.state._tag === 'Running' && !this.state.response.headersSent) closeAfter(this.state.response);
  }

  /** Closes the connection if no request is arriving, queued or unanswered. */
  closeInactive(): void {
    const { state, parts } = this;
    const isArriving = state._tag === 'Idle' && parts.isInsideRequest;
    const isUnanswered = state._tag === 'Running' && !state.response.headersSent;
    if (!isArriving && !isUnanswered && state._tag !== 'Waiting') this.socket.destroy();
  }
}

/** Removes the listeners of an event of a socket. Returns a function that calls them. */
const takeListeners = (socket: Socket, event: 'data' | 'end'): ((...bytes: Array<Buffer>) => void) => {
  const listeners = socket.listeners(event);
  socket.removeAllListeners(event);
  return (...bytes) => {
    for (const listener of listeners) Reflect.apply(listener, socket, bytes);
  };
};

/** Makes a response the last one of its connection. */
export const closeAfter = (response: ServerResponse): void => {
  response.setHeader('Connection', 'close').removeHeader('Keep-Alive');
};
