import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { NotReady } from '../responses/http-failures';
import { decided, failed, type Outcome } from '../responses/outcome';
import type { Route } from './route';

/** Whether requests can be served now. */
export type CheckReadiness = TaskEither<NotReady, void>;

const healthy = (status: 'live' | 'ready'): Outcome =>
  decided({ status: 200, body: JSON.stringify({ status }) });

/** Whether the process runs, and whether it can serve. */
export const healthRoutes = (checkReadiness: CheckReadiness): ReadonlyArray<Route> => [
  { method: 'GET', path: '/livez', run: () => Promise.resolve(healthy('live')) },
  {
    method: 'GET',
    path: '/readyz',
    run: async () =>
      pipe(
        await checkReadiness(),
        E.match(failed, () => healthy('ready')),
      ),
  },
];
