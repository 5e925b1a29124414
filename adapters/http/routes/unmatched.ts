import type { Router } from '@koa/router';
import type { Context } from 'koa';
import type { MethodNotAllowed, RouteNotFound } from '../responses/http-failures';

/** Why no route of a router took a request: its path is unknown, or known with other methods. */
export const unmatched = (router: Router, { path, method }: Context): MethodNotAllowed | RouteNotFound => {
  const allowed = [...new Set(router.match(path, method).path.flatMap(({ methods }) => methods))].sort();
  return allowed.length === 0 ? { _tag: 'RouteNotFound' } : { _tag: 'MethodNotAllowed', allowed };
};
