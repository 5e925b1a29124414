import type { Middleware as KoaMiddleware, ParameterizedContext } from 'koa';
import type { Caller } from '../../core';
import type { HttpFailure } from './errors';

/** State of a request in Koa, which the access log reads when the response has ended. */
export interface State {
  requestId?: string;
  /** Path of the route, such as `/v1/pets/:petId`. */
  route?: string;
  /** True once the handler has asked for the body of the request. */
  readsBody?: boolean;
  caller?: Caller;
  failure?: HttpFailure;
}

export type Context = ParameterizedContext<State>;
export type Middleware = KoaMiddleware<State>;
