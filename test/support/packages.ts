import * as t from 'io-ts';
import { readFileSync } from 'node:fs';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { decodeOrThrow } from '../../core';
import { packLibrary } from '../../deploy/packages/pack';
import { type Outcome, projectFolder, requireCurrentBuild, startProgram } from './processes/command';
import { makeFolder } from './temporary-folder';

/** Folders that git does not contain. */
const made = /(^|\/)(node_modules|dist|\.git)(\/|$)/;

/** Copies this checkout to a new folder, as git would, without anything built or installed. */
export const copyCheckout = async (): Promise<string> => {
  const folder = await makeFolder();
  await cp(projectFolder, folder, {
    recursive: true,
    filter: (path) => !made.test(relative(projectFolder, path)),
  });
  return folder;
};

/** Copies this checkout to a new folder, with the installed packages. */
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

/** Part of a package.json that decides which other packages npm installs. */
export type Manifest = t.TypeOf<typeof Manifest>;

export const readManifest = async (file: string): Promise<Manifest> =>
  decodeOrThrow(Manifest, JSON.parse(await readFile(file, 'utf8')));

/** Path of the library's manifest, which lacks only the version. */
export const libraryManifest = join(projectFolder, 'deploy', 'packages', 'library.json');

const Exports = t.type({
  exports: t.record(t.string, t.union([t.string, t.type({ types: t.string })])),
});

/** Returns the entries of the library, such as `animal-store/core`, each with its source file. */
export const libraryEntries = (): ReadonlyArray<readonly [entry: string, source: string]> => {
  const { exports } = decodeOrThrow(Exports, JSON.parse(readFileSync(libraryManifest, 'utf8')));
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string' || !target.types.endsWith('.d.ts')
      ? []
      : [
          [
            `animal-store${path.slice(1)}`,
            join(projectFolder, target.types.replace('./dist/', '').replace('.d.ts', '.ts')),
          ] as const,
        ],
  );
};

/** Returns the names of the packages that npm installs together with this one. */
export const installedBeside = ({ dependencies, peerDependencies, peerDependenciesMeta }: Manifest) => [
  ...Object.keys(dependencies),
  ...Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true),
];

const run = async (program: string, ...programArguments: ReadonlyArray<string>): Promise<void> => {
  const { code, stderr } = await startProgram(program, programArguments).ended;
  if (code !== 0) throw new Error(`${program} ${programArguments.join(' ')}: ${stderr}`);
};

/**
 * Returns the folder of an npm cache in which the install script of sqlite3 finds the driver that was compiled here.
 */
export const prebuiltDriverCache = async (): Promise<string> => {
  const cache = join(projectFolder, 'node_modules/.cache/npm');
  await run(process.execPath, join(projectFolder, 'test/deploy/support/cache-prebuilt-driver.mjs'), cache);
  return cache;
};

export const linkPackage = async (folder: string, name: string): Promise<void> => {
  const target = join(folder, 'node_modules', name);
  await mkdir(dirname(target), { recursive: true });
  await symlink(join(projectFolder, 'node_modules', name), target);
};

export const runNode = (folder: string, ...programArguments: ReadonlyArray<string>): Promise<Outcome> =>
  startProgram(process.execPath, programArguments, { folder }).ended;

/** Packs the library, from the last build, into a tarball. */
export const packPackage = async (): Promise<string> => {
  requireCurrentBuild();
  return packLibrary(await makeFolder());
};

/**
 * Installs the tarball in a new folder without a registry. Its dependencies and `beside` become links to the project's
 * copies, so that no other package can be imported.
 */
export const installPackage = async (tarball: string, beside: ReadonlyArray<string>): Promise<string> => {
  const folder = await makeFolder();
  const installed = join(folder, 'node_modules', 'animal-store');
  await mkdir(installed, { recursive: true });
  await run('tar', '-xzf', tarball, '-C', installed, '--strip-components=1');
  const names = [...installedBeside(await readManifest(join(installed, 'package.json'))), ...beside];
  await Promise.all([...new Set(names)].map((name) => linkPackage(folder, name)));
  return folder;
};
