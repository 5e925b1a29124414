import * as t from 'io-ts';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { decodeOrThrow } from '../../core';
import { packLibrary } from '../../deploy/packages/pack';
import { projectFolder, requireCurrentBuild, startProgram } from './processes/command';
import { makeFolder } from './temporary-folder';

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

const Manifest = t.type({
  dependencies: t.record(t.string, t.string),
  peerDependencies: t.record(t.string, t.string),
  peerDependenciesMeta: t.record(t.string, t.type({ optional: t.boolean })),
});

/** What of its package.json decides what npm installs beside the package. */
export type Manifest = t.TypeOf<typeof Manifest>;

export const readManifest = async (file: string): Promise<Manifest> =>
  decodeOrThrow(Manifest, JSON.parse(await readFile(file, 'utf8')));

/** The manifest of the library, but for its version. */
export const libraryManifest = join(projectFolder, 'deploy', 'packages', 'library.json');

/** The names of the packages that npm installs for whoever installs this one. */
export const installedBeside = ({ dependencies, peerDependencies, peerDependenciesMeta }: Manifest) => [
  ...Object.keys(dependencies),
  ...Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true),
];

const run = async (program: string, ...programArguments: ReadonlyArray<string>): Promise<void> => {
  const { code, stderr } = await startProgram(program, programArguments).ended;
  if (code !== 0) throw new Error(`${program} ${programArguments.join(' ')}: ${stderr}`);
};

const link = async (folder: string, name: string): Promise<void> => {
  const target = join(folder, 'node_modules', name);
  await mkdir(dirname(target), { recursive: true });
  await symlink(join(projectFolder, 'node_modules', name), target);
};

/** The library's tarball, of what was built last. */
export const packPackage = async (): Promise<string> => {
  requireCurrentBuild();
  return packLibrary(await makeFolder());
};

/**
 * Installs the tarball in a new folder without asking a registry: npm would put there what it needs and what is
 * named beside it, here they are links to the project's own copies. Nothing else can be imported there.
 */
export const installPackage = async (tarball: string, beside: ReadonlyArray<string>): Promise<string> => {
  const folder = await makeFolder();
  const installed = join(folder, 'node_modules', 'animal-store');
  await mkdir(installed, { recursive: true });
  await run('tar', '-xzf', tarball, '-C', installed, '--strip-components=1');
  const names = [...installedBeside(await readManifest(join(installed, 'package.json'))), ...beside];
  await Promise.all([...new Set(names)].map((name) => link(folder, name)));
  return folder;
};
