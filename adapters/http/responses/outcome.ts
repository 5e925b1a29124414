import type { Caller } from '../../../core';
import type { Headers } from '../protocol/headers';
import type { HttpRequest } from '../protocol/http-request';
import { failureResponse } from './failure-response';
import type { HttpFailure } from './http-failures';
import type { HttpResponse } from './http-response';

/** What a request came to: its response, and what its record tells beside that. */
export interface Outcome {
  readonly response: HttpResponse;
  /** Why it was not what was asked for. A `cause` in it is for the log alone. */
  readonly failure: HttpFailure | undefined;
  /** Who sent it, once that is known. */
  readonly caller: Caller | undefined;
  /** The template of the route that took it, as in `/v1/pets/:petId`. */
  readonly route: string | undefined;
}

/** The service without its sockets: every request comes to an outcome, and nothing is thrown. */
export type Application = (request: HttpRequest) => Promise<Outcome>;

/** The outcome of a request with this response; `added` headers are put to its own. */
export const decided = (response: HttpResponse, caller?: Caller, added?: Headers): Outcome => {
  const { status, body, contentType, headers } = response;
  // A spread of two objects takes five times as long.
  const both = added === undefined ? headers : Object.assign({}, added, headers);
  return {
    response: { status, body, contentType, headers: both },
    failure: undefined,
    caller,
    route: undefined,
  };
};

/** The outcome of a request that failed; `added` headers are put to those of the failure's response. */
export const failed = (failure: HttpFailure, caller?: Caller, added?: Headers): Outcome => ({
  ...decided(failureResponse(failure), caller, added),
  failure,
});
