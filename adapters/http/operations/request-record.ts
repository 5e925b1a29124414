import type { AnimalStore } from '../../../core';
import type { HttpFailure } from './errors';
import type { Outcome } from './reply';
import { RequestDeadline } from './request-deadline';

/**
 * Record of one request, from its start to its outcome. A value that is undefined is not known yet: the record can be
 * reported at any time, because the client may leave before the response.
 */
export class RequestRecord {
  readonly id: string;
  readonly startedAt = performance.now();
  readonly deadline = new RequestDeadline(this.startedAt);
  /** Path of the route, such as `/v1/pets/:petId`. */
  route: string | undefined;
  /** Caller of the API key, and the state of the owner's rate limit. */
  identity: Pick<AnimalStore, 'caller' | 'quota'> | undefined;
  /** Id of the animal that a create has added, or returned again to a retry. */
  petId: bigint | undefined;
  outcome: Outcome | undefined;
  /** Failure that the HTTP server itself has answered, because the body is malformed or late. */
  rejection: HttpFailure | undefined;

  /** `sentId` is the value of the header `X-Request-Id`, if any. */
  constructor(sentId: unknown) {
    this.id = requestIdOf(sentId);
  }

  /** Calls `report` with the cause of a 500 or 503. The cause may be any value, even undefined. */
  reportCause(report: (cause: unknown) => void): void {
    const { outcome } = this;
    if (outcome?._tag === 'Left' && 'cause' in outcome.left) report(outcome.left.cause);
  }
}

const wellFormed = /^[\w.:~+/=-]{1,128}$/;

/** Returns the `X-Request-Id` of a request if it is well-formed, otherwise a new UUID. */
export const requestIdOf = (sent: unknown): string =>
  typeof sent === 'string' && wellFormed.test(sent) ? sent : crypto.randomUUID();
