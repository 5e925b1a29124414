import Router from '@koa/router';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type Koa from 'koa';
import type { OpenAnimalStore } from '../../../core';
import type { Answer } from '../responses/answer';
import { authenticateRequest } from '../auth/authenticate-request';
import type { HttpFailure } from '../responses/http-failures';
import { respond } from '../responses/respond';
import { unmatched } from './unmatched';

/** Ends with the service's metrics in the Prometheus text format, version 0.0.4. */
export type ReadMetrics = () => Promise<string>;

const path = '/metrics';

const toAnswer = (body: string): Answer => ({
  status: 200,
  body,
  headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
});

/** Puts `/metrics` into a Koa application, for whoever has a key: key ids and traffic are not for everyone. */
export const mountMetricsRoute = (app: Koa, openStore: OpenAnimalStore, readMetrics: ReadMetrics): void => {
  const authenticate = authenticateRequest(openStore);
  const answer = (context: Koa.Context, outcome: TE.TaskEither<HttpFailure, Answer>): Promise<void> =>
    respond(
      context,
      pipe(
        authenticate(context),
        TE.flatMap(() => outcome),
      ),
    );

  const router = new Router({ sensitive: true, strict: true });
  router.get(path, (context) =>
    answer(
      context,
      TE.fromTask(async () => toAnswer(await readMetrics())),
    ),
  );

  app.use(router.routes());
  app.use(async (context, next) => {
    await (context.path === path ? answer(context, TE.left(unmatched(router, context))) : next());
  });
};
