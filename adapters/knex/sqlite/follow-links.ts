import { existsSync, realpathSync } from 'node:fs';

/** The file that a name stands for: SQLite follows links, and keeps its other files beside what they lead to. */
export const followLinks = (filename: string): string =>
  existsSync(filename) ? realpathSync(filename) : filename;
