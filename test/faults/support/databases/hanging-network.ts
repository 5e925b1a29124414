import type { Figures } from '../fault';
import { throughProxy } from '../../../support/postgres/freezing-proxy';
import { sicken } from './sick-store';

/** A PostgreSQL server whose network moves nothing for so many milliseconds after it shows, and closes nothing. */
export const hangingNetwork = (url: string, lasts: number): Promise<Figures> =>
  throughProxy(url, (proxied, { freeze, thaw }) =>
    sicken(
      { DATABASE_URL: proxied },
      {
        inject: () => {
          freeze();
          return Promise.resolve(() => {
            thaw();
            return Promise.resolve();
          });
        },
        reads: 'reads are refused',
        lasts,
      },
    ),
  );
