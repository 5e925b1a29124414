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

/** A defect ends here, as an opaque 500. */
const outcomeOf = async (run: Run, request: HttpRequest, parameters: PathParameters): Promise<Outcome> => {
  try {
    return await run(request, parameters);
  } catch (cause) {
    return failed({ _tag: 'Defect', cause });
  }
};

/** Puts routes into a Koa application; a request that is not theirs goes on to what follows. */
export const mountRoutes = <State>(
  app: Koa<State>,
  { routes, owns, runUnmatched }: RouteGroup,
  { requestOf, respond }: KoaBinding<State>,
): void => {
  const router = new Router<State>({ sensitive: true, strict: true });
  for (const { method, path, run } of routes) {
    router.register(path, [method], async (context) => {
      respond(context, { ...(await outcomeOf(run, requestOf(context), context.params)), route: path });
    });
  }
  app.use(router.routes());
  app.use(async (context, next) => {
    const { path } = context;
    if (!owns(path)) await next();
    else respond(context, await outcomeOf(runUnmatched(unmatched(routes, path)), requestOf(context), {}));
  });
};
