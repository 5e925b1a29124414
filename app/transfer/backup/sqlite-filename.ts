import * as E from 'fp-ts/Either';
import type { StartFailure } from '../../failures/start-failure';
import type { Settings } from '../../settings/settings';

/** The file that the settings name; a server has tools of its own, and memory nothing to keep. */
export const sqliteFilename = ({ DATABASE_URL: address }: Settings): E.Either<StartFailure, string> => {
  switch (address._tag) {
    case 'Memory':
      return E.left({ _tag: 'NoDatabase' });
    case 'Postgres':
      return E.left({ _tag: 'OwnTools' });
    case 'Sqlite':
      return E.right(address.filename);
  }
};
