import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian's programs of an administrator are outside the path of other users. */
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];

const isInstalled = (program: string): boolean =>
  folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** Skips the tests of a suite, and says so in a line, if this machine lacks a program that they run. */
export const needsPrograms = (...programs: ReadonlyArray<string>): void => {
  before(function () {
    const missing = programs.filter((program) => !isInstalled(program));
    if (missing.length === 0) return;
    process.stdout.write(
      `skipped, since ${missing.join(', ')} is not installed: ${this.currentTest?.parent?.title ?? ''}\n`,
    );
    this.skip();
  });
};
