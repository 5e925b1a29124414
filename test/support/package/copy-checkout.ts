import { cp, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { projectFolder } from '../processes/command';
import { makeFolder } from '../temporary-folder';

/** What git does not keep. */
const made = /(^|\/)(node_modules|dist|\.git)(\/|$)/;

/** A copy of this checkout in a folder of its own, as git would give it: nothing is built or installed. */
export const copyCheckout = async (): Promise<string> => {
  const folder = await makeFolder();
  await cp(projectFolder, folder, {
    recursive: true,
    filter: (path) => !made.test(relative(projectFolder, path)),
  });
  return folder;
};

/** The same with the packages that are installed here. */
export const copyInstalledCheckout = async (): Promise<string> => {
  const folder = await copyCheckout();
  await symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules'));
  return folder;
};
