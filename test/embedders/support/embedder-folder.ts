import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { projectFolder, startProgram } from '../../support/processes/command';
import { installPackage, packPackage } from '../../support/packages';

const tools = join(projectFolder, 'test', 'embedders', 'node_modules');

/** Returns the folder of a package that only programs of embedders need. */
export const toolFolder = (name: string): string => join(tools, name);

let tarball: Promise<string> | undefined;

/**
 * Makes a new folder in which the packed library is installed, with packages of the project or of
 * test/embedders/package.json.
 */
export const embedderFolder = async (...beside: ReadonlyArray<string>): Promise<string> => {
  if (tarball === undefined || !existsSync(await tarball)) tarball = packPackage();
  const isTool = (name: string): boolean => existsSync(toolFolder(name));
  const folder = await installPackage(
    await tarball,
    beside.filter((name) => !isTool(name)),
  );
  for (const name of beside.filter(isTool)) {
    const target = join(folder, 'node_modules', name);
    await mkdir(dirname(target), { recursive: true });
    await symlink(toolFolder(name), target);
  }
  return folder;
};

/** Bundles a program for a browser. Fails if the program needs a module of Node. */
export const bundleForBrowser = async (
  folder: string,
  program: string,
  language: 'mjs' | 'jsx' = 'mjs',
): Promise<string> => {
  await writeFile(join(folder, `program.${language}`), program);
  const options = [
    '--jsx=automatic',
    '--define:process.env.NODE_ENV="production"',
    '--bundle',
    '--minify',
    '--platform=browser',
    '--format=esm',
    '--outfile=bundle.mjs',
  ];
  const esbuild = toolFolder('.bin/esbuild');
  const { code, stderr } = await startProgram(esbuild, [`program.${language}`, ...options], { folder }).ended;
  expect(code, stderr).to.equal(0);
  return readFile(join(folder, 'bundle.mjs'), 'utf8');
};
