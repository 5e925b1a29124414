import type Koa from 'koa';
import type { ParameterizedContext } from 'koa';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** Nobody writes to it: the service's routes answer with values, and its server writes them. */
const unwritten = new ServerResponse(new IncomingMessage(new Socket()));

type Dispatch<State> = (context: ParameterizedContext<State>) => Promise<unknown>;

/**
 * Runs a request through the middleware of a Koa application. Koa's own callback would take the response into its hands,
 * and a tenth of the request's time; so its contexts are made here, by a method that it keeps for itself.
 */
export const koaDispatch = <State>(
  app: Koa<State>,
): ((message: IncomingMessage, state: State) => Promise<unknown>) => {
  const dispatch = app.middleware.reduceRight<Dispatch<State>>(
    (next, middleware) => (context) => Promise.resolve<unknown>(middleware(context, () => next(context))),
    () => Promise.resolve(),
  );
  return (message, state) => {
    const context = app.createContext<State>(message, unwritten);
    context.state = state;
    return dispatch(context);
  };
};
