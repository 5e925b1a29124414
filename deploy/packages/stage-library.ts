import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as t from 'io-ts';
import { decodeOrThrow } from '../../core';
import { copyFiles, readJson, writeJson } from './stage';

const Manifest = t.type({ files: t.array(t.string) });
const Versioned = t.type({ version: t.string });

/** Takes back what the code says of its map: of the library only the contract suites come with maps, and with sources. */
const forgetMaps = async (folder: string): Promise<void> => {
  const names = await readdir(folder, { recursive: true });
  for (const name of names.filter((each) => each.endsWith('.js'))) {
    const file = join(folder, name);
    await writeFile(file, (await readFile(file, 'utf8')).replace(/^\/\/# sourceMappingURL=.*\n?/m, ''));
  }
};

/** The library: what its entries need, with a manifest of its own and the version of the repository. */
export const stageLibrary = async (folder: string): Promise<void> => {
  const content = await readJson('deploy/packages/library.json');
  const { version } = decodeOrThrow(Versioned, await readJson('package.json'));
  await writeJson(join(folder, 'package.json'), { ...decodeOrThrow(t.UnknownRecord, content), version });
  await copyFiles(['README.md', ...decodeOrThrow(Manifest, content).files], folder);
  await forgetMaps(join(folder, 'dist', 'core'));
  await forgetMaps(join(folder, 'dist', 'adapters'));
};
