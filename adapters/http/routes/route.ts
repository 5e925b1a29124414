import type { PathParameters } from '../operations/operation';
import type { HttpRequest } from '../protocol/http-request';
import type { Method } from '../protocol/methods';
import type { HttpFailure } from '../responses/http-failures';
import { failed, type Outcome } from '../responses/outcome';

/** What becomes of a request. It may reject: that is a defect. */
export type Run = (request: HttpRequest, parameters: PathParameters) => Promise<Outcome>;

export interface Route {
  /** GET takes HEAD as well. */
  readonly method: Exclude<Method, 'HEAD'>;
  /** With its parameters, as in `/v1/pets/:petId`. */
  readonly path: string;
  readonly run: Run;
}

/** Routes that are mounted together. */
export interface RouteGroup {
  readonly routes: ReadonlyArray<Route>;
  /** Whether a path that no route is at is the group's to answer. */
  readonly owns: (path: string) => boolean;
  /** What becomes of a request for such a path, or with a method that its path does not take. */
  readonly runUnmatched: (failure: HttpFailure) => Run;
}

/** Routes that need no key; every path that nothing is at is theirs to refuse. */
export const withoutKey = (...routes: ReadonlyArray<Route>): RouteGroup => ({
  routes,
  owns: () => true,
  runUnmatched: (failure) => () => Promise.resolve(failed(failure)),
});

const isAt = (template: string, path: string): boolean => {
  const parts = path.split('/');
  const templates = template.split('/');
  return (
    parts.length === templates.length &&
    templates.every((part, place) => (part.startsWith(':') ? parts[place] !== '' : part === parts[place]))
  );
};

/** Why no route took a request: its path is unknown, or known with other methods. */
export const unmatched = (routes: ReadonlyArray<Route>, path: string): HttpFailure => {
  const methods = routes.filter((route) => isAt(route.path, path)).map(({ method }) => method);
  if (methods.length === 0) return { _tag: 'RouteNotFound' };
  return {
    _tag: 'MethodNotAllowed',
    allowed: methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)),
  };
};
