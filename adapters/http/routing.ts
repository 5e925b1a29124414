import Router, { type RouterContext } from '@koa/router';
import { type Context, type Deprecation, type Headers, type Route, setHeaders, type State } from './context';
import { fail } from './errors';

/**
 * Returns the headers that announce a deprecation (RFC 9745, 8594 and 5829). The Link is relative, so that it works
 * behind any path prefix.
 */
export const deprecationHeaders = ({ since, sunset, successor }: Deprecation): Headers => ({
  Deprecation: `@${Date.parse(since) / 1_000}`,
  Sunset: new Date(sunset).toUTCString(),
  Link: `<${successor}>; rel="successor-version"`,
});

export type ServedRoute<S> = readonly [route: Route, serve: (context: RouterContext<S>) => unknown];

export interface Routes<S> {
  readonly serve: ReturnType<Router<S>['routes']>;
  readonly routeOf: (method: string, path: string) => Route | undefined;
  readonly methodsAt: (path: string) => ReadonlyArray<string>;
  readonly templateAt: (path: string) => string | undefined;
}

export const openApiPath = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

/** Makes the router of a table of routes, for pet-routes.ts and service-routes.ts. */
export const createRoutes = <S extends State>(served: ReadonlyArray<ServedRoute<S>>): Routes<S> => {
  const router = new Router<S>({ sensitive: true, strict: true });
  const byName = new Map<string | undefined, Route>();
  for (const [route, serve] of served) {
    const { operationId: name, deprecation } = route;
    const headers = deprecation === undefined ? [] : Object.entries(deprecationHeaders(deprecation));
    byName.set(name, route);
    // Register one function per route. If a route had several, the router would compose them again for each request.
    router.register(
      route.path,
      [route.method],
      (context) => {
        // Set the route first, so that error responses and the access log also have it.
        context.state.route = route;
        setHeaders(context, headers);
        return serve(context);
      },
      { name },
    );
  }
  return {
    serve: router.routes(),
    routeOf: (method, path) => byName.get(router.match(path, method).pathAndMethod[0]?.name),
    methodsAt: (path) =>
      router
        .match(path, '')
        .path.flatMap(({ methods }) => methods)
        .sort(),
    templateAt: (path) => {
      const [layer] = router.match(path, '').path;
      return layer === undefined ? undefined : openApiPath(String(layer.path));
    },
  };
};

/**
 * Answers 405 if another method has a route at the path, otherwise 404. app.ts and pet-routes.ts run it when no route
 * matched.
 */
export const refuseUnmatched =
  (
    { methodsAt }: Pick<Routes<State>, 'methodsAt'>,
    suggest: (path: string) => string | undefined = () => undefined,
  ) =>
  (context: Context): void => {
    const { path } = context;
    const allowed = methodsAt(path);
    if (allowed.length > 0) fail(context, { _tag: 'MethodNotAllowed', allowed });
    else {
      const suggestion = suggest(path);
      fail(context, { _tag: 'RouteNotFound', ...(suggestion === undefined ? {} : { suggestion }) });
    }
  };
