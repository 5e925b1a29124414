import type { RouterContext } from '@koa/router';
import type { IncomingMessage } from 'node:http';
import type { Middleware as KoaMiddleware, ParameterizedContext } from 'koa';
import type { AnimalStore, Deadline } from '../../core';

/* Types of routes, Koa contexts and middleware, and helpers for responses. Used all over adapters/http. */

export type Headers = Readonly<Record<string, string>>;

export interface Deprecation {
  readonly since: string;
  readonly sunset: string;
  readonly successor: string;
}

export interface Route {
  readonly operationId: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly successStatus: number;
  readonly deprecation?: Deprecation;
}

export interface State {
  route?: Route;
  caller?: AnimalStore['caller'];
}

export interface PetState extends State {
  caller: AnimalStore['caller'];
  store: AnimalStore;
}

export type Context = ParameterizedContext<State>;
export type Middleware = KoaMiddleware<State>;

export type PetContext = RouterContext<PetState>;
export type PetMiddleware = (context: ParameterizedContext<PetState>, next: () => unknown) => unknown;

export interface ServerFunctions {
  readonly deadlineOf: (request: IncomingMessage) => Deadline;
}

export const jsonType = 'application/json';

/** Sets headers on Node's response, because Koa's `set` allocates four arrays for each header. */
export const setHeaders = (
  { res }: Context,
  headers: ReadonlyArray<readonly [name: string, value: string]>,
): void => {
  if (res.headersSent) return;
  for (const [name, value] of headers) res.setHeader(name, value);
};

const jsonHeaders = [['Content-Type', jsonType]] as const;

/** Maximum length of a body that is written as a string, because Node writes it together with the head. */
const maxJoinedLength = 1_000;

export const succeed = (context: Context, json: string | Buffer): void => {
  context.status = context.state.route?.successStatus ?? 200;
  setHeaders(context, jsonHeaders);
  context.body = typeof json === 'string' && json.length > maxJoinedLength ? Buffer.from(json) : json;
};
