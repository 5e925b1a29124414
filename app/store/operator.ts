import { currentUser } from './file';

/** Returns the name of the user who runs this command: of SUDO_USER, or else of the process. */
export const operatorName = (env: NodeJS.ReadOnlyDict<string>): string => env['SUDO_USER'] ?? currentUser();
