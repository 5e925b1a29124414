import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { turnThrottle } from './admission';
import { onLastResponse, type Parser, takeParser } from './node-internals';
import type { ServerFailure } from './options';
import { type HeldBytes, ReceivedBytes, tooManySmallChunks } from './received-bytes';
import { malformed } from './validate-request';
import { serverTimeouts } from '../../core/timeouts';

export interface Turn {
  readonly request: IncomingMessage;
  readonly start: () => void;
  readonly fail: (failure: ServerFailure) => void;
}

/**
 * State of the client's half of the connection. `ended`: the client has half-closed the connection. `finished`: the
 * parser has been told of the half-close. `discarded`: further bytes are ignored, and the connection closes after the
 * current response.
 */
type InputState = 'open' | 'ended' | 'finished' | 'discarded';

const parsingThrottle = turnThrottle(16);

/**
 * Connection of a client. serve-connections.ts makes it, and queues each request as an `Exchange` of
 * request-lifecycle.ts. Runs one exchange (a request and its response) at a time, because a later request may depend on
 * an earlier one. Parses one head or body at a time, because pipelined requests take less memory as bytes than as
 * objects.
 */
export class Connection<T extends Turn = Turn> {
  readonly socket: Socket;
  readonly received: ReceivedBytes;
  current: T | undefined;
  idleSince = performance.now();
  /** True once the last response has started. Later requests get no response (RFC 9112, section 9.6). */
  isClosing = false;
  parserFailure: ServerFailure | undefined;

  private readonly waiting: Array<T> = [];
  private readonly parser: Parser;
  private input: InputState = 'open';
  private lingers = false;
  private isYielding = false;
  private closingSince = Infinity;
  private lastByteAt = 0;

  constructor(socket: Socket, held: HeldBytes, countReceived: (bytes: number) => void = () => undefined) {
    this.socket = socket;
    this.parser = takeParser(socket);
    this.received = new ReceivedBytes(this.parser, held);
    onLastResponse(socket, (destroySoon) => {
      this.close(destroySoon);
    });
    socket.on('data', (bytes: Buffer) => {
      this.receive(bytes);
      countReceived(bytes.length);
    });
    socket.on('resume', () => {
      this.parseReceived();
    });
    socket.once('end', () => {
      if (this.input === 'open') this.input = 'ended';
      this.parseReceived();
    });
  }

  /**
   * True if no further request gets a response. Also checks `writable`, because Node itself ends some connections,
   * such as after an HTTP/1.0 response without a Content-Length.
   */
  get isClosed(): boolean {
    return this.isClosing || !this.socket.writable;
  }

  get isIdle(): boolean {
    return this.current === undefined && !this.hasNext();
  }

  get mustClose(): boolean {
    return this.isClosing || this.input === 'discarded';
  }

  enqueue(turn: T): void {
    if (this.isClosed) return;
    this.received.expectBody(turn.request);
    this.waiting.push(turn);
  }

  /**
   * Ends the current exchange. The next request starts in a later tick of the event loop, so that a pipelining client
   * cannot starve other clients.
   */
  finishCurrent(): void {
    if (!this.hasNext()) this.advance();
    else {
      setImmediate(() => {
        this.advance();
      });
    }
  }

  stopParsing(isClientSending: boolean): void {
    this.isClosing = true;
    this.lingers ||= isClientSending || this.hasMore();
    this.waiting.length = 0;
    if (!this.isReceivingBody()) this.dropInput();
  }

  /**
   * Discards the received bytes and all later ones instead of leaving them unread. Closing a socket with unread bytes
   * resets the connection, and the client may then lose the last response.
   */
  dropInput(): void {
    this.received.clear();
    this.input = 'discarded';
    this.socket.resume();
  }

  startNext(): void {
    if (this.current !== undefined || this.isClosed) return;
    const next = this.waiting.shift();
    if (next === undefined) return;
    this.current = next;
    next.start();
  }

  failParsing(failure: ServerFailure): void {
    this.parserFailure = failure;
    if (this.isReceivingBody()) this.current?.fail(failure);
  }

  sweep(now: number): void {
    const { socket, closingSince, lastByteAt } = this;
    if (closingSince !== Infinity) {
      const isSilent = now - Math.max(closingSince, lastByteAt) > serverTimeouts.lingerSilenceMs;
      if (isSilent || now - closingSince > serverTimeouts.lingerMs) socket.destroy();
    } else if (this.current === undefined && this.idleSince < now - serverTimeouts.idleMs) {
      // The idle timeout runs until a complete head has arrived, so that single bytes do not keep a connection open.
      socket.destroy();
    }
  }

  closed(): void {
    this.isClosing = true;
    this.received.clear();
  }

  private receive(bytes: Buffer): void {
    this.lastByteAt = this.closingSince === Infinity ? 0 : performance.now();
    if (this.input === 'discarded') this.lingers = true;
    else {
      this.received.append(bytes);
      this.parseReceived();
    }
  }

  private parseReceived(): void {
    if (this.isYielding) {
      // Stop reading until other connections have been served. An earlier pause would not last, because Node resumes
      // the socket when the request listener begins to read a body.
      this.socket.pause();
      return;
    }
    while (!this.received.isEmpty && this.isReading()) {
      if (!this.canParse()) {
        this.hold();
        break;
      }
      this.parsePiece();
    }
    if (this.input === 'ended' && this.received.isEmpty) {
      this.input = 'finished';
      // After a parser error, Node may already have given the parser to another socket.
      if (this.parserFailure === undefined) this.parser.finish();
    }
    this.startNext();
  }

  /**
   * True if received bytes may be parsed: the socket is not paused, or the client has half-closed the connection. After
   * a half-close, Node never resumes a paused socket, so the bytes would stay unparsed.
   */
  private isReading(): boolean {
    return !this.isYielding && (this.input !== 'open' || !this.socket.isPaused());
  }

  private parsePiece(): void {
    const next = this.received.parsePiece();
    if (next === 'reject') this.failParsing(malformed(tooManySmallChunks));
    else if (next === 'pause') this.socket.pause();
    else if (next === 'yield') {
      this.isYielding = true;
      parsingThrottle(() => {
        this.isYielding = false;
        this.socket.resume();
        this.parseReceived();
      });
    }
  }

  private canParse(): boolean {
    if (this.parserFailure !== undefined) return false;
    if (this.received.isBodyComing) return true;
    return !this.isClosing && this.current === undefined && this.waiting.length === 0;
  }

  private hold(): void {
    const { isOverLimit } = this.received;
    this.lingers ||= isOverLimit && !this.isClosing;
    if (this.isClosing || isOverLimit) this.dropInput();
    else this.socket.pause();
  }

  private advance(): void {
    this.current = undefined;
    this.idleSince = performance.now();
    if (this.isClosed) return;
    if (this.input === 'discarded') this.close();
    else {
      this.startNext();
      this.socket.resume();
      this.parseReceived();
    }
  }

  private close(destroySoon?: () => void): void {
    this.stopParsing(false);
    if (!this.lingers && !this.hasMore() && destroySoon !== undefined) destroySoon();
    else {
      // Start the linger timeout when the kernel has the whole response. An earlier start would count the time in which
      // a slow client still reads the response.
      this.socket.end(() => {
        this.closingSince = performance.now();
      });
    }
  }

  private isReceivingBody(): boolean {
    return this.current?.request.complete === false;
  }

  private hasMore(): boolean {
    return this.hasNext() || this.isReceivingBody();
  }

  private hasNext(): boolean {
    return this.waiting.length > 0 || !this.received.isEmpty;
  }
}
