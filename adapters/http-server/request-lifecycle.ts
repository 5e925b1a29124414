import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { type Bulkheads, type Entrant, isSafe, turnThrottle } from './admission';
import type { Connection, Turn } from './connection';
import { beforeReading } from './node-internals';
import type { HttpServerOptions, Listener, ServerFailure } from './options';
import { BodyError, type BodyReading, startReading } from './read-body';
import { serverTimeouts } from '../../core/timeouts';
import { validateRequest } from './validate-request';
import {
  answerInstead,
  type ExchangeResponse,
  type ResponseOwner,
  trackResponse,
  writeLastTo,
} from './write-response';

/** State of an exchange. README.md draws the transitions. */
export type ExchangeState =
  | 'waiting'
  | 'queued'
  | 'running'
  /** `readBody` waits for the client, or for a slot afterwards. The request holds no slot. */
  | 'receivingBody'
  | 'shed'
  | 'responding'
  /** The client has received the whole response, or the connection is closed. */
  | 'ended';

export interface ExchangeContext {
  readonly options: Pick<HttpServerOptions, 'errorResponse' | 'isAlwaysAdmitted' | 'observer'>;
  readonly listener: Listener;
  readonly bulkheads: Bulkheads;
  readonly isStopping: () => boolean;
  /**
   * Exchanges whose client has left while the listener still runs. Such an exchange releases its slot at its deadline.
   */
  readonly abandoned: Set<Exchange>;
}

const exchanges = new WeakMap<IncomingMessage, Exchange>();

/** Returns the exchange of a request, also after its end. */
export const exchangeOf = (request: IncomingMessage): Exchange | undefined => exchanges.get(request);

/** Limits the rejections per tick of the event loop. Clients that retry at once could otherwise block it for seconds. */
const rejectionThrottle = turnThrottle(16);

export class Exchange implements Turn, Entrant, ResponseOwner {
  readonly request: IncomingMessage;
  readonly response: ExchangeResponse;
  state: ExchangeState = 'waiting';
  arrivedAt = 0;
  /** Deadline (`performance.now()`), which is extended while the body is being received. */
  deadline = Infinity;

  private readonly connection: Connection<Exchange>;
  private readonly context: ExchangeContext;
  /**
   * Async context of the request, for tracers. On Node 20, `AsyncLocalStorage.snapshot` would take 20 times as long.
   */
  private readonly asyncContext = new AsyncResource('HTTPEXCHANGE');
  private failure: ServerFailure | undefined;
  private bulkhead: Bulkheads['reads'] | undefined;
  private holdsSlot = false;
  private wasStarted = false;
  private isContinued = false;
  private reading: BodyReading | undefined;
  private readmit: ((hasSlot: boolean) => void) | undefined;

  constructor(
    connection: Connection<Exchange>,
    context: ExchangeContext,
    request: IncomingMessage,
    response: ExchangeResponse,
    failure?: ServerFailure,
  ) {
    this.connection = connection;
    this.context = context;
    this.request = request;
    this.response = response;
    this.failure = failure;
    trackResponse(response, this);
    exchanges.set(request, this);
  }

  start(): void {
    const { context, request, response, connection } = this;
    this.arrivedAt = performance.now();
    this.deadline = this.arrivedAt + serverTimeouts.responseMs;
    if (response.socket === null) writeLastTo(connection.socket, response);
    this.failure ??= request.complete ? undefined : connection.parserFailure;
    this.failure ??= validateRequest(request);
    if (this.failure !== undefined) {
      this.answer(this.failure);
      return;
    }
    if (request.headers.expect !== undefined && request.httpVersion === '1.1') {
      beforeReading(request, () => {
        if (response.headersSent || response.destroyed) return;
        this.isContinued = true;
        response.writeContinue();
      });
    }
    if (context.options.isAlwaysAdmitted?.(request) !== true) {
      this.bulkhead = isSafe(request.method) ? context.bulkheads.reads : context.bulkheads.writes;
    }
    this.state = 'queued';
    const entry = this.bulkhead === undefined ? 'admitted' : this.bulkhead.enter(this);
    if (entry === 'shed') {
      this.shed();
      return;
    }
    this.wasStarted = true;
    context.options.observer?.requestStarted?.();
    if (entry === 'admitted') this.admit();
  }

  isWanted(): boolean {
    return this.state === 'queued' || this.state === 'receivingBody';
  }

  admit(): void {
    this.holdsSlot = this.bulkhead !== undefined;
    if (this.readmit === undefined) void this.run();
    else this.readmit(true);
  }

  shed(): void {
    this.state = 'shed';
    rejectionThrottle(() => {
      this.answer({ _tag: 'Overloaded' });
    });
  }

  /** Answers in place of the listener and ends the connection, after a failure of the parser. */
  fail(failure: ServerFailure): void {
    this.failure = failure;
    if (this.state === 'responding') this.response.destroy();
    else this.answer(failure);
  }

  /** Extends the deadline while the body is being received, and answers once it has passed. */
  sweep(now: number, elapsedMs: number): void {
    if (this.isWithListener() && !this.request.complete) this.deadline += elapsedMs;
    else if (this.deadline < now) {
      this.answer({ _tag: this.isWithListener() ? 'DeadlineExceeded' : 'Overloaded' });
    }
  }

  /** Releases the slot while the body is being received, and takes one again afterwards. */
  async readBody(maxBytes: number): Promise<Buffer> {
    const reading = startReading(this.request, maxBytes);
    if (this.request.complete || this.state !== 'running') return reading.body;
    this.state = 'receivingBody';
    this.reading = reading;
    const { bulkhead, holdsSlot } = this;
    if (holdsSlot) bulkhead?.pause();
    this.holdsSlot = false;
    try {
      const body = await reading.body;
      if (holdsSlot && this.isWanted() && !(await this.reenter())) throw new BodyError('request.aborted');
      return body;
    } finally {
      this.reading = undefined;
      if (this.isWanted()) this.state = 'running';
    }
  }

  /** Bytes of a body that the listener has not received. A listener that runs is left alone. */
  heldBytes(): number {
    if (!this.isWanted() && this.state !== 'shed') return 0;
    return this.request.readableLength + this.connection.received.length + (this.reading?.heldBytes() ?? 0);
  }

  progressAt(): number | undefined {
    return this.request.complete ? undefined : this.reading?.progressAt();
  }

  /** Answers before the listener has the body, which frees its memory. */
  shedBody(): void {
    this.answer({ _tag: 'Overloaded' });
  }

  beforeHead(): void {
    const { request, response, connection, context } = this;
    this.state = 'responding';
    const closes =
      context.isStopping() ||
      connection.mustClose ||
      !response.shouldKeepAlive ||
      this.failure !== undefined ||
      // A proxy may reuse the connection before the body ends. Its next request would be read as the rest of the body.
      !request.complete ||
      // Node drops the bytes after such a request, so a pipelined request would lose its beginning.
      request.headers.upgrade !== undefined ||
      // Without a 100 (Continue) the client may or may not send its body, so the next bytes are ambiguous.
      (request.headers.expect !== undefined && !this.isContinued);
    if (!closes) return;
    response.shouldKeepAlive = false;
    connection.stopParsing(this.failure !== undefined);
  }

  afterEnd(): void {
    this.releaseSlot();
    if (this.connection.isClosing) this.connection.dropInput();
  }

  closed(): void {
    const { state, connection, context } = this;
    this.state = 'ended';
    this.readmit?.(false);
    if (state === 'queued' || state === 'shed') this.reportShed(499, undefined);
    else if (this.holdsSlot) context.abandoned.add(this);
    connection.finishCurrent();
    if (context.isStopping() && connection.isIdle) connection.socket.end();
  }

  releaseSlot(): void {
    this.context.abandoned.delete(this);
    if (!this.holdsSlot) return;
    this.holdsSlot = false;
    this.bulkhead?.leave();
  }

  private async run(): Promise<void> {
    const { context, request, response } = this;
    this.state = 'running';
    try {
      await this.asyncContext.runInAsyncScope(context.listener, undefined, request, response);
      if (response.destroyed) this.releaseSlot();
    } catch {
      // A listener that throws affects only its own client.
      if (!response.writableEnded) response.destroy();
      this.releaseSlot();
    }
  }

  /** Takes a slot again. Resolves with false if the exchange ends first. */
  private reenter(): Promise<boolean> {
    return new Promise((resolve) => {
      this.readmit = resolve;
      this.bulkhead?.reenter(this);
    });
  }

  private isWithListener(): boolean {
    return this.state === 'running' || this.state === 'receivingBody';
  }

  private answer(failure: ServerFailure): void {
    const { response, request, context, state } = this;
    if (state === 'responding' || state === 'ended') return;
    const wasSeen = this.isWithListener();
    try {
      const answer = context.options.errorResponse(failure, request);
      answerInstead(response, answer);
      if (!wasSeen) this.reportShed(answer.status, failure);
    } catch {
      response.destroy();
    }
    this.reading?.abort();
    this.readmit?.(false);
    this.releaseSlot();
  }

  private reportShed(status: number, failure: ServerFailure | undefined): void {
    const { request, wasStarted } = this;
    this.context.options.observer?.requestShed?.({ request, status, failure, wasStarted });
  }
}
