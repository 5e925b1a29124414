import * as E from 'fp-ts/Either';
import Koa from 'koa';
import type { ConsumeQuota, OpenAnimalStore } from '../../../core';
import type { HttpRequest } from '../protocol/http-request';
import { type Application, decided, failed, type Outcome } from '../responses/outcome';
import { type KoaBinding, mountRoutes } from '../routes/mount-routes';
import { adminRoutes, type ReadMetrics } from '../routes/admin-routes';
import type { CheckReadiness } from '../routes/health-routes';
import { petRoutes } from '../routes/pet-routes';
import { publicRoutes } from '../routes/public-routes';
import type { RouteGroup } from '../routes/route';
import { koaDispatch } from './koa-dispatch';
import { isPreflight, preflightResponse } from './preflight-response';
import { validateRequestHead } from './validate-request-head';

interface Options {
  readonly openStore: OpenAnimalStore;
  readonly checkReadiness: CheckReadiness;
  /** Counts the requests of each key; without it they are not limited. */
  readonly consumeQuota?: ConsumeQuota | undefined;
  /** The origins whose pages may call the service, `*` for any. Without one CORS is off. */
  readonly corsOrigins?: ReadonlyArray<string>;
}

interface AdminOptions {
  readonly checkReadiness: CheckReadiness;
  readonly readMetrics: ReadMetrics;
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

/** Routes as a function from requests to outcomes. Koa routes them; nothing is thrown. */
const applicationOf = (
  groups: ReadonlyArray<RouteGroup>,
  corsOrigins: ReadonlyArray<string>,
): Application => {
  const app = new Koa<State>();
  for (const group of groups) mountRoutes(app, group, binding);
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

/** The service as its clients know it: `/v1`, health, and the documents. */
export const httpApplication = ({
  openStore,
  checkReadiness,
  consumeQuota,
  corsOrigins = [],
}: Options): Application =>
  applicationOf([petRoutes(openStore, consumeQuota), publicRoutes(checkReadiness)], corsOrigins);

/** The service as its operator knows it: health and metrics, without a key. For a port that clients can't reach. */
export const adminApplication = ({ checkReadiness, readMetrics }: AdminOptions): Application =>
  applicationOf([adminRoutes(checkReadiness, readMetrics)], []);
