import * as E from 'fp-ts/Either';
import type { AnimalStore, Caller, Deadline, Quota } from '../../core';
import type { BodyResult } from './body';
import type { HttpFailure } from './errors';
import type { Headers } from './headers';
import { failureReply, type Reply } from './reply';

/** Maximum time to answer a request, from its start, or from the end of its body if the handler has to wait for it. */
export const maxResponseMs = 4_000;

const wellFormed = /^[\w.:~+/=-]{1,128}$/;

/** Returns the `X-Request-Id` of a request if it is well-formed, otherwise a new UUID. */
export const requestIdOf = (sent: unknown): string =>
  typeof sent === 'string' && wellFormed.test(sent) ? sent : crypto.randomUUID();

/** True if `If-None-Match` has this ETag, by weak comparison (RFC 9110, section 13.1.2). */
const isMatched = (etag: string, ifNoneMatch = ''): boolean =>
  ifNoneMatch.split(',').some((each) => [etag, `W/${etag}`, '*'].includes(each.trim()));

/** Record of one request, from its start to its outcome. Made by context.ts, or by fetch.ts for hosts without Koa. */
export class RequestRecord {
  readonly id: string;
  readonly startedAt = performance.now();
  /** Time by which the reply must be made. */
  deadline: Deadline = this.startedAt + maxResponseMs;
  /** Path of the route, such as `/v1/pets/:petId`. */
  route: string | undefined;
  caller: Caller | undefined;
  quota: Quota | undefined;
  /** Id of the animal that a create has added, or returned again to a retry. */
  petId: bigint | undefined;
  outcome: E.Either<HttpFailure, Reply> | undefined;
  /** Failure that the HTTP server itself has answered, because the body is malformed or late. */
  rejection: HttpFailure | undefined;

  /** `sentId` is the value of the header `X-Request-Id`, if any. */
  constructor(sentId: unknown) {
    this.id = requestIdOf(sentId);
  }

  /** Waits for a body. Until it has arrived, only the timeouts of the HTTP server or the framework apply. */
  async untilArrived<A>(body: Promise<A>): Promise<A> {
    this.deadline = Infinity;
    const arrived = await body;
    this.deadline = performance.now() + maxResponseMs;
    return arrived;
  }

  /** Records the outcome, and makes the reply. `headers` are those that do not depend on the outcome. */
  end(outcome: E.Either<HttpFailure, Reply>, headers: Headers, ifNoneMatch: string | undefined): Reply {
    this.outcome = outcome;
    const reply = E.isLeft(outcome) ? failureReply(outcome.left) : outcome.right;
    const { ETag: etag } = reply.headers;
    const isUnchanged = etag !== undefined && isMatched(etag, ifNoneMatch);
    return {
      status: isUnchanged ? 304 : reply.status,
      headers: { 'X-Request-Id': this.id, ...headers, ...reply.headers },
      body: isUnchanged ? '' : reply.body,
    };
  }

  /** Calls `report` with the cause of a 500 or 503. The cause may be any value, even undefined. */
  reportCause(report: (cause: unknown) => void): void {
    const { outcome } = this;
    if (outcome?._tag === 'Left' && 'cause' in outcome.left) report(outcome.left.cause);
  }
}

/** Request to an operation, as plain values. */
export interface PetRequest {
  readonly record: RequestRecord;
  /** Decoded path parameter `petId`. Empty if the path has none. */
  readonly petId: string;
  /** Query string without the question mark. */
  readonly query: string;
  /** Returns a header. Repeated headers are joined by commas. */
  readonly header: (
    name: 'authorization' | 'content-encoding' | 'content-type' | 'idempotency-key' | 'if-none-match',
  ) => string | undefined;
  /** False if the request is known to have no body. */
  readonly hasBody: boolean;
  /** Reads the body. Fails if the body is incomplete, or larger than `bodyBytes`. May move the deadline. */
  readonly readBody: () => Promise<BodyResult>;
}

/** Handler of an operation. The caller's API key has opened the store. */
export type Handler = (store: AnimalStore, request: PetRequest) => Promise<E.Either<HttpFailure, Reply>>;
