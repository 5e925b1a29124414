import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { turnThrottle } from './admission';
import { onLastResponse, type Parser, takeParser } from './node-internals';
import { type HeldBytes, ReceivedBytes } from './received-bytes';
import type { ServerFailure } from './server-failure';
import { serverTimeouts } from '../../core/timeouts';

export interface Turn {
  readonly request: IncomingMessage;
  readonly start: () => void;
}

/** Maximum unparsed bytes of all connections. Beyond it, a connection that pipelines is closed after its current response. */
export const maxHeldBytes = 67_108_864;

/** Limits the connections with many small chunks that are parsed in one tick of the event loop. */
const slowParsing = turnThrottle(16);

const smallChunks: ServerFailure = {
  _tag: 'MalformedRequest',
  reason: 'the chunks of the request body are too small',
};

/**
 * A client's connection. Runs one exchange at a time, since a later request may depend on an earlier one. Parses one head or
 * body at a time, so that pipelined requests wait as bytes and not as objects.
 */
export class Connection {
  readonly socket: Socket;
  current: Turn | undefined;
  /** Time by `performance.now()` when the connection was opened or its last exchange ended. */
  idleSince = performance.now();
  /** True once the last response is being written. No further request is answered (RFC 9112, section 9.6). */
  isClosing = false;
  parserFailure: ServerFailure | undefined;

  private readonly waiting: Array<Turn> = [];
  private readonly parser: Parser;
  private readonly held: HeldBytes;
  private readonly failBody: (connection: Connection, failure: ServerFailure) => void;
  private readonly received: ReceivedBytes;
  /** True once the client has half-closed the connection. Node then no longer resumes the socket. */
  private hasEnded = false;
  private isFinished = false;
  /** True once received bytes are discarded. */
  private isDropping = false;
  private lingers = false;
  private isYielding = false;
  private closingSince = Infinity;
  private lastByteAt = 0;

  /** Takes `failBody`, which answers the request whose body is being received and ends the connection. */
  constructor(
    socket: Socket,
    held: HeldBytes,
    failBody: (connection: Connection, failure: ServerFailure) => void,
  ) {
    this.socket = socket;
    this.held = held;
    this.failBody = failBody;
    this.parser = takeParser(socket);
    this.received = new ReceivedBytes(this.parser, held);
    onLastResponse(socket, (destroySoon) => {
      this.close(destroySoon);
    });
    socket.on('data', (bytes: Buffer) => {
      this.receive(bytes);
    });
    socket.on('resume', () => {
      this.parseReceived();
    });
    socket.once('end', () => {
      this.hasEnded = true;
      this.parseReceived();
    });
  }

  /** True if no more requests are answered. Node itself ends some connections, such as HTTP/1.0 without a Content-Length. */
  get isOver(): boolean {
    return this.isClosing || !this.socket.writable;
  }

  get isIdle(): boolean {
    return this.current === undefined && !this.hasNext();
  }

  get mustClose(): boolean {
    return this.isClosing || this.isDropping;
  }

  enqueue(turn: Turn): void {
    if (this.isOver) return;
    this.received.expectBody(turn.request);
    this.waiting.push(turn);
  }

  /** Starts the next queued request, in a later tick of the event loop so that a pipelining client cannot starve the others. */
  finishCurrent(): void {
    if (!this.hasNext()) this.goOn();
    else {
      setImmediate(() => {
        this.goOn();
      });
    }
  }

  /** Stops parsing, except for the rest of a body that the listener reads. `lingers` is true if the client is still sending. */
  stopParsing(lingers: boolean): void {
    this.isClosing = true;
    this.lingers ||= lingers || this.hasMore();
    this.waiting.length = 0;
    if (!this.isReceivingBody()) this.dropInput();
  }

  /** Discards received bytes. A close with unread bytes resets the connection, and the client may lose the last response. */
  dropInput(): void {
    this.received.clear();
    this.isDropping = true;
    this.socket.resume();
  }

  startNext(): void {
    if (this.current !== undefined || this.isOver) return;
    const next = this.waiting.shift();
    if (next === undefined) return;
    this.current = next;
    next.start();
  }

  get isBodyComing(): boolean {
    return this.received.isBodyComing;
  }

  isReceivingBody(): boolean {
    return this.current?.request.complete === false;
  }

  sweep(now: number): void {
    const { socket, closingSince, lastByteAt } = this;
    if (closingSince !== Infinity) {
      const isSilent = now - Math.max(closingSince, lastByteAt) > serverTimeouts.lingerSilenceMs;
      if (isSilent || now - closingSince > serverTimeouts.lingerMs) socket.destroy();
    } else if (this.current === undefined && this.idleSince < now - serverTimeouts.idleMs) {
      // Received bytes without a complete head do not restart the idle timeout.
      socket.destroy();
    }
  }

  closed(): void {
    this.isClosing = true;
    this.received.clear();
  }

  private receive(bytes: Buffer): void {
    this.lastByteAt = this.closingSince === Infinity ? 0 : performance.now();
    if (this.isDropping) {
      this.lingers = true;
      return;
    }
    this.received.append(bytes);
    this.parseReceived();
  }

  /** Parses as far as the current exchange allows, then starts the next one. Pauses the socket while bytes are left. */
  private parseReceived(): void {
    if (this.isYielding) {
      // Pauses again, since Node has resumed the socket for the reader of the body.
      this.socket.pause();
      return;
    }
    while (!this.received.isEmpty && this.mayGoOn()) {
      if (!this.mayParse()) {
        this.hold();
        break;
      }
      this.parsePiece();
    }
    if (this.hasEnded && this.received.isEmpty) this.finishParser();
    this.startNext();
  }

  private mayGoOn(): boolean {
    return !this.isYielding && (this.hasEnded || !this.socket.isPaused());
  }

  /**
   * Tells the parser that the client has half-closed. Skips a failed parser, which Node may use for another socket by
   * now.
   */
  private finishParser(): void {
    if (this.isFinished || this.isDropping || this.parserFailure !== undefined) return;
    this.isFinished = true;
    this.parser.finish();
  }

  private parsePiece(): void {
    const after = this.received.parsePiece();
    switch (after) {
      case 'go on':
        return;
      case 'refuse':
        this.parserFailure = smallChunks;
        if (this.isReceivingBody()) this.failBody(this, smallChunks);
        return;
      case 'yield':
        this.isYielding = true;
        slowParsing(() => {
          this.isYielding = false;
          this.socket.resume();
          this.parseReceived();
        });
        return;
      case 'pause':
        this.socket.pause();
    }
  }

  private mayParse(): boolean {
    if (this.parserFailure !== undefined) return false;
    if (this.isBodyComing) return true;
    return !this.isClosing && this.current === undefined && this.waiting.length === 0;
  }

  /** Keeps the bytes until the current exchange ends, within the limit of the server's memory. */
  private hold(): void {
    if (this.isClosing) this.dropInput();
    else if (this.held.total > maxHeldBytes) {
      this.lingers = true;
      this.dropInput();
    } else this.socket.pause();
  }

  private goOn(): void {
    this.current = undefined;
    this.idleSince = performance.now();
    if (this.isOver) return;
    if (this.isDropping) {
      this.close();
      return;
    }
    this.startNext();
    this.socket.resume();
    this.parseReceived();
  }

  private close(destroySoon?: () => void): void {
    this.stopParsing(false);
    if (!this.lingers && !this.hasMore() && destroySoon !== undefined) destroySoon();
    else {
      // Starts the linger timeout only now that the kernel has all bytes, since the client may read slowly.
      this.socket.end(() => {
        this.closingSince = performance.now();
      });
    }
  }

  private hasMore(): boolean {
    return this.hasNext() || this.isReceivingBody();
  }

  private hasNext(): boolean {
    return this.waiting.length > 0 || !this.received.isEmpty;
  }
}
