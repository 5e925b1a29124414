import { join } from 'node:path';
import * as t from 'io-ts';
import { decodeOrThrow } from '../../core';
import { copyFiles, readJson, writeJson } from './stage';

const Manifest = t.type({ name: t.string, version: t.string, files: t.array(t.string) });

const LockFile = t.type({
  lockfileVersion: t.number,
  packages: t.record(t.string, t.intersection([t.UnknownRecord, t.partial({ dev: t.boolean })])),
});

const shrinkwrap = 'npm-shrinkwrap.json';

/** Without what only a checkout has a use for. */
const forUse = (manifest: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(manifest).filter(([field]) => field !== 'devDependencies' && field !== 'scripts'),
  );

/** The service: what was built, at the versions of the lock file. */
export const stageService = async (folder: string): Promise<void> => {
  const content = await readJson('package.json');
  const { name, version, files } = decodeOrThrow(Manifest, content);
  const manifest = forUse(decodeOrThrow(t.UnknownRecord, content));
  await writeJson(join(folder, 'package.json'), { ...manifest, files: [...files, shrinkwrap] });

  const { lockfileVersion, packages } = decodeOrThrow(LockFile, await readJson('package-lock.json'));
  const locked: ReadonlyArray<readonly [string, unknown]> = Object.entries(packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([path, entry]) => [path, path === '' ? forUse(entry) : entry]);
  await writeJson(join(folder, shrinkwrap), {
    name,
    version,
    lockfileVersion,
    requires: true,
    packages: Object.fromEntries<unknown>(locked),
  });
  await copyFiles(['README.md', ...files], folder);
};
