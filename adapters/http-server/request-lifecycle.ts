import { AsyncResource } from 'node:async_hooks';
import { type Bulkheads, type Entrant, isSafe, rejectionThrottle } from './admission';
import type { Connection, Turn } from './connection';
import type { HttpServerOptions, Listener, ServerFailure } from './options';
import { BodyError, type BodyReading, type ServedRequest, startReading } from './request-functions';
import { serverTimeouts } from '../../core/timeouts';
import { hasUnknownEnd, validateRequest } from './validate-request';
import {
  answerInstead,
  continueOnceRead,
  type ExchangeResponse,
  type ResponseOwner,
  trackResponse,
  writeLastTo,
} from './write-response';

export type ExchangeState =
  | 'waiting'
  | 'queued'
  | 'running'
  /** The request listener waits in `readBody` for the body, and then for a slot. The request holds no slot. */
  | 'receivingBody'
  | 'shed'
  | 'responding'
  | 'ended';

export interface ExchangeContext {
  readonly options: Pick<HttpServerOptions, 'errorResponse' | 'isAlwaysAdmitted' | 'observer'>;
  readonly listener: Listener;
  readonly bulkheads: Bulkheads;
  readonly isStopping: () => boolean;
  /**
   * Exchanges whose client has disconnected while the request listener still runs. If the listener does not end before
   * the deadline of the exchange, the slot is freed then.
   */
  readonly abandoned: Set<Exchange>;
}

/** Request and its response. serve-connections.ts creates it, and connection.ts starts it after earlier exchanges. */
export class Exchange implements Turn, Entrant, ResponseOwner {
  readonly request: ServedRequest;
  readonly response: ExchangeResponse;
  state: ExchangeState = 'waiting';
  arrivedAt = 0;
  deadline = Infinity;

  private readonly connection: Connection<Exchange>;
  private readonly context: ExchangeContext;
  /**
   * Async context of the request listener, for tracing libraries. On Node 20, `AsyncLocalStorage.snapshot` would take
   * 20 times as long.
   */
  private readonly asyncContext = new AsyncResource('HTTPEXCHANGE');
  private failure: ServerFailure | undefined;
  private bulkhead: Bulkheads['reads'] | undefined;
  private holdsSlot = false;
  private wasStarted = false;
  private reading: BodyReading | undefined;
  private endSlotWait: ((hasSlot: boolean) => void) | undefined;

  constructor(
    connection: Connection<Exchange>,
    context: ExchangeContext,
    request: ServedRequest,
    response: ExchangeResponse,
    failure?: ServerFailure,
  ) {
    this.connection = connection;
    this.context = context;
    this.request = request;
    this.response = response;
    this.failure = failure;
    trackResponse(response, this);
    request.attach(this);
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
    if (request.headers.expect !== undefined) continueOnceRead(request, response);
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

  isPending(): boolean {
    return this.state === 'queued' || this.state === 'receivingBody';
  }

  admit(): void {
    this.holdsSlot = this.bulkhead !== undefined;
    // Set the state before the promise of `waitForSlot` settles. Otherwise `shedBodies` could run in between and shed
    // the request.
    this.state = 'running';
    if (this.endSlotWait === undefined) void this.run();
    else this.endSlotWait(true);
  }

  shed(): void {
    this.state = 'shed';
    rejectionThrottle(() => {
      this.answer({ _tag: 'Overloaded' });
    });
  }

  fail(failure: ServerFailure): void {
    this.failure = failure;
    if (this.state === 'responding') this.response.destroy();
    else this.answer(failure);
  }

  sweep(now: number, elapsedMs: number): void {
    if (this.isWithListener() && !this.request.complete) this.deadline += elapsedMs;
    else if (this.deadline < now) {
      this.answer({ _tag: this.isWithListener() ? 'DeadlineExceeded' : 'Overloaded' });
    }
  }

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
      if (holdsSlot && this.isPending() && !(await this.waitForSlot()))
        throw new BodyError('request.aborted');
      return body;
    } finally {
      this.reading = undefined;
      if (this.isPending()) this.state = 'running';
    }
  }

  answer(failure: ServerFailure): void {
    const { response, request, context, state } = this;
    if (state === 'responding' || state === 'ended') return;
    const reachedListener = this.isWithListener();
    try {
      const answer = context.options.errorResponse(failure, request);
      answerInstead(response, answer);
      if (!reachedListener) this.reportShed(answer.status, failure);
    } catch {
      response.destroy();
    }
    this.reading?.abort();
    this.endSlotWait?.(false);
    this.releaseSlot();
  }

  /**
   * Returns the number of bytes that a request holds in memory while it is queued, receives its body or is shed. A shed
   * request counts, because its client can send until the 503 is sent. Bytes after a complete body belong to later
   * requests. They do not count here, because `maxHeldBytes` limits them.
   */
  heldBytes(): number {
    if (!this.isPending() && this.state !== 'shed') return 0;
    const unparsed = this.request.complete ? 0 : this.connection.received.length;
    return this.request.readableLength + unparsed + (this.reading?.heldBytes() ?? 0);
  }

  progressAt(): number | undefined {
    return this.request.complete ? undefined : this.reading?.progressAt();
  }

  beforeHead(): void {
    const { request, response, connection, context } = this;
    this.state = 'responding';
    const closes =
      context.isStopping() ||
      connection.mustClose ||
      !response.shouldKeepAlive ||
      this.failure !== undefined ||
      hasUnknownEnd(request, response.isContinued);
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
    this.endSlotWait?.(false);
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
    try {
      await this.asyncContext.runInAsyncScope(context.listener, undefined, request, response);
      if (response.destroyed) this.releaseSlot();
    } catch {
      if (!response.writableEnded) response.destroy();
      this.releaseSlot();
    }
  }

  private waitForSlot(): Promise<boolean> {
    return new Promise((resolve) => {
      this.endSlotWait = resolve;
      this.bulkhead?.reenter(this);
    });
  }

  private isWithListener(): boolean {
    return this.state === 'running' || this.state === 'receivingBody';
  }

  private reportShed(status: number, failure: ServerFailure | undefined): void {
    const { request, wasStarted } = this;
    this.context.options.observer?.requestShed?.({ request, status, failure, wasStarted });
  }
}
