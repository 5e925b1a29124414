import { pipe } from 'fp-ts/function';
import * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import type { OpenAnimalStore } from '../../../core';
import { authenticateRequest } from '../auth/authenticate-request';
import type { HttpRequest } from '../protocol/http-request';
import { textResponder } from '../representation/text-responder';
import type { HttpFailure } from '../responses/http-failures';
import type { HttpResponse } from '../responses/http-response';
import { failed, toOutcome } from '../responses/outcome';
import { matchE } from '../task-either';
import type { RouteGroup, Run } from './route';

/** Ends with the service's metrics in the Prometheus text format, version 0.0.4. */
export type ReadMetrics = () => Promise<string>;

const path = '/metrics';

const contentType = 'text/plain; version=0.0.4; charset=utf-8';

/** `/metrics`, for whoever has a key: key ids and traffic are not for everyone. */
export const metricsRoutes = (openStore: OpenAnimalStore, readMetrics: ReadMetrics): RouteGroup => {
  const authenticate = authenticateRequest(openStore);

  const authenticated =
    (answer: (request: HttpRequest) => TE.TaskEither<HttpFailure, HttpResponse>): Run =>
    (request) =>
      pipe(
        authenticate(request),
        matchE(
          (failure) => T.of(failed(failure)),
          ({ caller }) => pipe(answer(request), toOutcome(caller)),
        ),
      );

  const read = ({ message }: HttpRequest): TE.TaskEither<never, HttpResponse> =>
    TE.fromTask(async () =>
      textResponder({ body: await readMetrics(), contentType, headers: { 'Cache-Control': 'no-store' } })(
        message.headers,
      ),
    );

  return {
    routes: [{ method: 'GET', path, run: authenticated(read) }],
    owns: (asked) => asked === path,
    runUnmatched: (failure) => authenticated(() => TE.left(failure)),
  };
};
