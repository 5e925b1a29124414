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
  // Of any state and context: those are the host's.
  app: Pick<Koa, 'use'>,
  openStore: OpenAnimalStore,
  { consumeQuota }: Options = {},
): void => {
  mountRoutes(app, petRoutes(openStore, consumeQuota), {
    requestOf: ({ req }) => {
      const request = {
        message: req,
        deadline: performance.now() + responseTimeout,
        readBody: async (limit: number) => {
          if (req.readableDidRead) {
            throw new BodyWasRead('mount the pet routes before the body parser: the body was read already');
          }
          const asked = performance.now();
          const body = await readBody(req, limit);
          request.deadline += performance.now() - asked;
          return body;
        },
      };
      return request;
    },
    respond: writeKoaResponse,
  });
};
