import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';

/** Returns the name in SUDO_USER or, if it is not set, the name of the user of this process. */
export const operatorName = ({ SUDO_USER: name = '' }: NodeJS.ReadOnlyDict<string>): string =>
  name === '' ? currentUser() : name;

/** Returns the name of a user, or a text with the id if the name is unknown. */
export const userName = (uid: number): string =>
  uid === process.getuid?.() ? currentUser() : (nameInPasswd(uid) ?? `the user ${uid}`);

/** Returns the name of the user of this process, even if /etc/passwd lacks it, as with LDAP or on macOS. */
export const currentUser = (): string => {
  try {
    return userInfo().username;
  } catch {
    const uid = process.getuid?.();
    return uid === undefined ? 'an unknown user' : `the user ${uid}`;
  }
};

/** Returns the name that /etc/passwd has for a user. Node can name only the user of the process. */
const nameInPasswd = (uid: number): string | undefined => {
  const users = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8').split('\n') : [];
  return users.map((line) => line.split(':')).find(([, , id]) => id === String(uid))?.[0];
};
