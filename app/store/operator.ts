import { currentUser } from './file';

/** Returns the name of the user who runs this command: of SUDO_USER, or else of the process. */
export const operatorName = ({ SUDO_USER: name = '' }: NodeJS.ReadOnlyDict<string>): string =>
  name === '' ? currentUser() : name;
