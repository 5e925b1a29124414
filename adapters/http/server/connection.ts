import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { heldRequestsMs } from '../message/held-requests';
import { beginToCollectBody, hasBody } from '../message/request-body';
import { endSocket, errorText } from './end-socket';
import { announceKeepAlive, closeAfter } from './keep-alive';
import type { RequestHead } from './rejection';
import { RequestParts } from './request-parts';
import type { ServerFailure } from '../message/failures';
import type { ServerState } from './server-state';
import { isMalformedHeadRequest, type ParserError, parserFailure, validateRequest } from './validate-request';

/**
 * State of a connection. Node's parser receives bytes in Idle, and in Running until the end of the body.
 *
 *   Idle ── request ──▶ Running ── response sent ──▶ Idle, or Waiting if the client has sent more
 *   Idle ── bytes that `RequestQueue` holds ──▶ Waiting ── released ──▶ Idle
 *   Idle, Running ── failure, or response that closes the connection ──▶ Closing
 *
 * After the body and in Waiting, bytes stay in the socket. In Closing, bytes are discarded. `mayBegin` and `heldMs`
 * concern the next bytes in Idle. A client can half-close in any state.
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

/** Removes the listeners of an event of a socket. Returns a function that calls them. */
const takeListeners = (
  socket: Socket,
  event: 'data' | 'end',
): ((...values: ReadonlyArray<Buffer>) => void) => {
  const listeners = socket.listeners(event);
  socket.removeAllListeners(event);
  return (...values) => {
    for (const listener of listeners) Reflect.apply(listener, socket, values);
  };
};

/**
 * Connection of a client. Runs one exchange (a request and its response) at a time. Node itself would parse and start
 * pipelined requests at once. These requests could fill the memory, and run although an earlier response closes the
 * connection. The connection therefore passes bytes to Node's listeners only when the next request may start.
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
  private isHalfClosed = false;

  constructor(socket: Socket, server: ServerState) {
    this.socket = socket;
    this.server = server;
    this.parse = takeListeners(socket, 'data');
    this.endParsing = takeListeners(socket, 'end');
    socket.on('data', this.receive).on('end', this.halfClose);
    // Node calls this method after a response that closes the connection.
    socket.destroySoon = this.close;
  }

  private readonly receive = (bytes: Buffer): void => {
    const { requestQueue } = this.server;
    if (this.state._tag === 'Idle' && !this.mayBegin && !requestQueue.tryBegin()) {
      this.state = waiting;
      const heldSince = performance.now();
      requestQueue.hold(() => {
        this.heldMs += performance.now() - heldSince;
        this.mayBegin = true;
        this.release();
      });
    }
    this.mayBegin = false;
    let rest = bytes;
    while (rest.length > 0 && this.mayParse()) {
      const length = this.parts.nextLength(rest);
      const part = length === rest.length ? rest : rest.subarray(0, length);
      rest = rest.subarray(length);
      this.parse(part);
    }
    // Later requests stay in the socket, which stops reading at its high-water mark.
    if (rest.length > 0 && this.state._tag !== 'Closing') this.socket.pause().unshift(rest);
  };

  private mayParse(): boolean {
    const { socket, state } = this;
    // A destroyed socket has no parser: Node may already have given it to another connection.
    if (socket.destroyed) return false;
    return state._tag === 'Idle' || (state._tag === 'Running' && !state.request.complete);
  }

  /** Begins an exchange with a request whose head Node has parsed. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    // Close if Node's parser has found two requests in one part. The response to the second could be sent before the
    // response to the first.
    if (this.state._tag !== 'Idle') {
      this.socket.destroy();
      return;
    }
    const fault = validateRequest(request, this.parts);
    if (fault !== undefined) {
      this.reject(fault, request);
      return;
    }
    const running: Running = { _tag: 'Running', request, response };
    this.state = running;
    if (this.heldMs > 0) {
      heldRequestsMs.set(request, this.heldMs);
      this.heldMs = 0;
    }
    response.on('close', this.finish);
    // Close after a request with Upgrade, because Node drops the bytes that follow it.
    if (this.server.isStopping || request.headers.upgrade !== undefined) closeAfter(response);
    else announceKeepAlive(request, response, this.server.idleSeconds);
    if (!hasBody(request)) {
      this.start(running);
      return;
    }
    this.parts.startBody(Number(request.headers['content-length'] ?? 0));
    // Wait until Node has parsed the packet. A small body is often in the same packet as its head, and is then complete
    // when the listener starts.
    process.nextTick(() => {
      if (this.state !== running || !this.socket.writable) return;
      // Leave a body after `Expect: 100-continue` unread, because reading it would send the 100 (Continue).
      if (request.headers.expect === undefined) beginToCollectBody(request);
      this.start(running);
    });
  }

  private start({ request, response }: Running): void {
    const fail = (): void => {
      response.destroy();
    };
    try {
      const started = this.server.listener(request, response);
      if (started instanceof Promise) started.catch(fail);
    } catch {
      fail();
    }
  }

  private readonly finish = (): void => {
    if (this.state._tag !== 'Running') return;
    // Close if Node and `parts` disagree on the end of the body, because Node may then take the rest for a request.
    const isLost = this.state.request.complete && !this.parts.endedAtBlankLine;
    if (this.server.isStopping || isLost) {
      this.close();
      return;
    }
    this.state = this.socket.readableLength > 0 ? waiting : idle;
    // Start the next request in another tick of the event loop, so that a pipelining client cannot starve others.
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
    this.state = closing;
    endSocket(socket, isReceiving);
  };

  /** Answers directly on the socket, because the listener may still use the ServerResponse. Closes the connection. */
  reject(failure: ServerFailure, request: RequestHead): void {
    const response = this.server.rejectRequest(failure, request);
    this.state = closing;
    this.socket.write(errorText(response, request.method === 'HEAD'));
    endSocket(this.socket, true);
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
