import type Koa from 'koa';
import type { ConsumeQuota, OpenAnimalStore } from '../../../core';
import { responseTimeout } from '../protocol/limits';
import { BodyWasRead, readBody } from '../protocol/read-body';
import { mountRoutes } from './mount-routes';
import { petRoutes } from './pet-routes';
import { writeKoaResponse } from './write-koa-response';

interface Options {
  /** Counts the requests of each key; without it they are not limited. */
  readonly consumeQuota?: ConsumeQuota;
}

/**
 * Puts everything under `/v1` into a host's Koa application, beside its own routes. Each request is authenticated
 * before anything else is asked of it; every failure ends here, as an Error body, and the cause of a 500 or a 503 is
 * emitted as the application's `error`. Mount it before anything that reads bodies.
 */
export const mountPetRoutes = (
  app: Koa,
  openStore: OpenAnimalStore,
  { consumeQuota }: Options = {},
): void => {
  mountRoutes(app, petRoutes(openStore, consumeQuota), {
    requestOf: ({ req }) => ({
      message: req,
      deadline: performance.now() + responseTimeout,
      readBody: (limit) =>
        req.readableDidRead
          ? Promise.reject(
              new BodyWasRead('mount the pet routes before the body parser: the body was read already'),
            )
          : readBody(req, limit),
    }),
    respond: writeKoaResponse,
  });
};
