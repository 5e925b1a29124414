import type { RouterContext } from '@koa/router';
import type { Middleware as KoaMiddleware, ParameterizedContext } from 'koa';
import type { AnimalStore, Deadline } from '../../core';

/* Types of routes, Koa contexts and middleware, and helpers for responses. Used all over adapters/http. */

export type Headers = Readonly<Record<string, string>>;

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly successStatus: number;
  /** Headers of every response of this route. */
  readonly headers?: Headers;
}

export interface State {
  route?: Route;
  caller?: AnimalStore['caller'];
}

export interface PetState extends State {
  caller: AnimalStore['caller'];
  store: AnimalStore;
  deadline: Deadline;
}

export type Context = ParameterizedContext<State>;
export type Middleware = KoaMiddleware<State>;

export type PetContext = RouterContext<PetState>;
export type PetMiddleware = (context: ParameterizedContext<PetState>, next: () => unknown) => unknown;

/** Maximum time to answer an authenticated request, from the arrival of its last byte. */
export const maxResponseMs = 4_000;

export const deadlineFromNow = (): Deadline => performance.now() + maxResponseMs;

export const jsonType = 'application/json';

export const succeed = (context: Context, json: string | Buffer): void => {
  context.status = context.state.route?.successStatus ?? 200;
  context.set('Content-Type', jsonType);
  context.body = json;
};
