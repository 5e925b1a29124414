import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { serialiseHealth } from '../representation/serialise';
import type { NotReady } from '../responses/http-failures';
import type { HttpResponse } from '../responses/http-response';
import { toOutcome } from '../responses/outcome';
import { map } from '../task-either';
import type { Route } from './route';

/** Whether requests can be served now. */
export type CheckReadiness = TE.TaskEither<NotReady, void>;

const health = (status: 'live' | 'ready') => (): HttpResponse => ({
  status: 200,
  body: serialiseHealth({ status }),
});

const healthRoute = (path: string, answer: TE.TaskEither<NotReady, HttpResponse>): Route => ({
  method: 'GET',
  path,
  run: () => pipe(answer, toOutcome()),
});

/** Whether the process runs, and whether it can serve. */
export const healthRoutes = (checkReadiness: CheckReadiness): ReadonlyArray<Route> => [
  healthRoute('/livez', TE.fromIO(health('live'))),
  healthRoute('/readyz', pipe(checkReadiness, map(health('ready')))),
];
