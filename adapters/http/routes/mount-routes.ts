import Router from '@koa/router';
import type Koa from 'koa';
import type { ParameterizedContext } from 'koa';
import type { PathParameters } from '../operations/operation';
import type { HttpRequest } from '../protocol/http-request';
import { failed, type Outcome } from '../responses/outcome';
import { type RouteGroup, type Run, unmatched } from './route';

/** How routes meet one kind of Koa application: the service's own, or a host's. */
export interface KoaBinding<State> {
  readonly requestOf: (context: ParameterizedContext<State>) => HttpRequest;
  readonly respond: (context: ParameterizedContext<State>, outcome: Outcome) => void;
}

/** Puts routes into a Koa application; a request that is not theirs goes on to what follows. */
export const mountRoutes = <State>(
  app: Pick<Koa<State>, 'use'>,
  { routes, owns, runUnmatched }: RouteGroup,
  { requestOf, respond }: KoaBinding<State>,
): void => {
  /** A defect ends here, as an opaque 500. */
  const answer = async (
    context: ParameterizedContext<State>,
    run: Run,
    parameters: PathParameters,
    route?: string,
  ): Promise<void> => {
    let outcome: Outcome;
    try {
      outcome = await run(requestOf(context), parameters);
    } catch (cause) {
      outcome = failed({ _tag: 'Defect', cause });
    }
    respond(context, { ...outcome, route });
  };

  const router = new Router<State>({ sensitive: true, strict: true });
  for (const { method, path, run } of routes) {
    router.register(path, [method], (context) => answer(context, run, context.params, path));
  }
  app.use(router.routes());
  app.use((context, next) => {
    const { path } = context;
    return owns(path) ? answer(context, runUnmatched(unmatched(routes, path)), {}) : next();
  });
};
