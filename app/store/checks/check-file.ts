/* Checks of the SQLite file of DATABASE_URL before it is opened, and of the user. */

import { dirname, resolve } from 'node:path';
import { isMountPoint, resolveSymlink, statsOf } from '../../../adapters/files/paths';
import { notInitialized, unusable } from '../../failures';
import { fileAdvice, ownerOf } from '../../failures/file-advice';
import { currentUser } from '../../failures/user';
import { type Findings, passed, warned } from './finding';
import { isMissing, type Start } from './start';

/**
 * Warns if the database file belongs to another user, because the other checks then prove nothing about the user of the
 * service. For root or a missing file, also checks the folder.
 */
export const checkUser = ({ settings: { DATABASE_URL: url } }: Start): Findings => {
  const uid = process.getuid?.();
  const user = `this command runs as ${currentUser()}`;
  const foreign = uid === undefined || url._tag !== 'Sqlite' ? undefined : foreignPath(url.filename, uid);
  if (foreign === undefined) return [passed('user', user)];
  const advice = 'run it as the user of the service, who must be able to write both';
  return [warned('user', `${user}, but ${foreign} belongs to ${ownerOf(foreign)}; ${advice}`)];
};

const foreignPath = (filename: string, uid: number): string | undefined => {
  const file = resolve(filename);
  // Accepts a file of this user in a folder of another user, because a Kubernetes volume belongs to root.
  if (uid !== 0 && statsOf(file)?.uid === uid) return undefined;
  return [file, dirname(file)].find((path) => (statsOf(path)?.uid ?? uid) !== uid);
};

/** Throws if this process can't use the database file, or if it is missing and may not be created. */
export const checkFile = ({ settings: { DATABASE_URL: url }, purpose, mayCreate }: Start): Findings => {
  if (url._tag !== 'Sqlite') return [];
  const { filename } = url;
  requireAccess(filename, purpose === 'read' ? 'read' : 'write');
  if (isMissing(filename)) {
    if (!mayCreate) throw notInitialized();
    return [passed('file', `${filename} does not exist yet; the first start creates it`)];
  }
  const usable = passed('file', `${filename} can be read and written`);
  const names = statsOf(resolveSymlink(filename))?.nlink ?? 1;
  if (names < 2) return [usable];
  const fault = `${filename} is one of ${names} names (hard links) of its file; programs that use different names have different logs, and lose each other's animals; keep one name`;
  return [usable, warned('file', fault)];
};

/**
 * Warns if a container mounts a database file without its folder, because SQLite's log in the folder is then lost with
 * the container. Throws instead for a service in production.
 */
export const checkMount = ({ settings: { DATABASE_URL: url }, purpose, mayCreate }: Start): Findings => {
  if (url._tag !== 'Sqlite' || !isMountPoint(url.filename)) return [];
  const advice = `${url.filename} is mounted without its folder, so its log is lost with the container; mount its folder instead`;
  if ((purpose === 'serve' || purpose === 'doctor') && !mayCreate) throw unusable(advice);
  return [warned('mount', advice)];
};

/** Throws if a database file is missing, or if this process can't read it. */
export const requireReadable = (filename: string): void => {
  requireAccess(filename, 'read');
  if (isMissing(filename)) throw notInitialized();
};

const requireAccess = (filename: string, use: 'read' | 'write'): void => {
  const advice = fileAdvice(filename, use);
  if (advice !== undefined) throw unusable(advice);
};
