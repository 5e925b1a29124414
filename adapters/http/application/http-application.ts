import * as E from 'fp-ts/Either';
import Koa from 'koa';
import type { ConsumeQuota, OpenAnimalStore } from '../../../core';
import type { HttpRequest } from '../protocol/http-request';
import { type Application, decided, failed, type Outcome } from '../responses/outcome';
import { type KoaBinding, mountRoutes } from '../routes/mount-routes';
import { metricsRoutes, type ReadMetrics } from '../routes/metrics-routes';
import { petRoutes } from '../routes/pet-routes';
import { type CheckReadiness, publicRoutes } from '../routes/public-routes';
import { koaDispatch } from './koa-dispatch';
import { isPreflight, preflightResponse } from './preflight-response';
import { validateRequestHead } from './validate-request-head';

interface Options {
  readonly openStore: OpenAnimalStore;
  readonly checkReadiness: CheckReadiness;
  /** Without it there is no `/metrics`. */
  readonly readMetrics?: ReadMetrics;
  /** Counts the requests of each key; without it they are not limited. */
  readonly consumeQuota?: ConsumeQuota | undefined;
  /** The origins whose pages may call the service, `*` for any. Without one CORS is off. */
  readonly corsOrigins?: ReadonlyArray<string>;
}

interface State {
  readonly request: HttpRequest;
  outcome: Outcome;
}

const binding: KoaBinding<State> = {
  requestOf: ({ state }) => state.request,
  respond: ({ state }, outcome) => {
    state.outcome = outcome;
  },
};

// The last group owns every path: this is what a mistake in the routes would come to.
const nothingThere = failed({ _tag: 'RouteNotFound' });

/** The service as a function from requests to outcomes. Koa routes them; nothing is thrown. */
export const httpApplication = ({
  openStore,
  checkReadiness,
  readMetrics,
  consumeQuota,
  corsOrigins = [],
}: Options): Application => {
  const app = new Koa<State>();
  mountRoutes(app, petRoutes(openStore, consumeQuota), binding);
  if (readMetrics !== undefined) mountRoutes(app, metricsRoutes(openStore, readMetrics), binding);
  mountRoutes(app, publicRoutes(checkReadiness), binding);
  const route = koaDispatch(app);

  return async (request) => {
    const { message } = request;
    try {
      const target = validateRequestHead(message);
      // What follows on the connection may be a part of what was not understood.
      if (E.isLeft(target)) return failed(target.left, undefined, { Connection: 'close' });
      if (isPreflight(message, corsOrigins)) return decided(preflightResponse);
      message.url = target.right;
      const state: State = { request, outcome: nothingThere };
      await route(message, state);
      return state.outcome;
    } catch (cause) {
      return failed({ _tag: 'Defect', cause });
    }
  };
};
