import { existsSync, readFileSync } from 'node:fs';

/** Returns the name of a user, or a text with the id if the user has no name in /etc/passwd. */
export const userName = (uid: number): string => {
  const users = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8').split('\n') : [];
  const [name] = users.map((line) => line.split(':')).find(([, , id]) => id === String(uid)) ?? [];
  return name ?? `the user ${uid}`;
};

export const currentUser = (): string => {
  const uid = process.getuid?.();
  return uid === undefined ? 'an unknown user' : userName(uid);
};

/** Returns the name in SUDO_USER or, if it is not set, the name of the user of this process. */
export const operatorName = ({ SUDO_USER: name = '' }: NodeJS.ReadOnlyDict<string>): string =>
  name === '' ? currentUser() : name;
