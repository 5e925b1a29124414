import { findFileFault } from '../../adapters/knex';
import { statsOf } from '../../adapters/files/paths';
import { userName } from './user';

/** Returns advice if this process can't use a database file. */
export const fileAdvice = (filename: string, use: 'read' | 'write' = 'write'): string | undefined => {
  const fault = findFileFault(filename, use);
  switch (fault?._tag) {
    case undefined:
      return undefined;
    case 'NoAccess':
      return `let this user ${fault.neededAccess} ${fault.path}, which belongs to ${ownerOf(fault.path)}`;
    case 'ReadOnlyFileSystem':
      return `${fault.text}; ${readOnlyAdvice}`;
    case 'WrongPath':
      return fault.text;
  }
};

export const readOnlyAdvice =
  'mount it so that it can be written, or add its folder to ReadWritePaths of the systemd unit';

/**
 * Returns the name of the user who owns a path, or `nobody any more` if the path is gone. SQLite deletes a log when the
 * database is closed.
 */
export const ownerOf = (path: string): string => {
  const uid = statsOf(path)?.uid;
  return uid === undefined ? 'nobody any more' : userName(uid);
};
