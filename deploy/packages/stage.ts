import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The root of the repository. */
export const repository = join(__dirname, '..', '..');

/** A file of JSON, by its path in the repository. */
export const readJson = async (path: string): Promise<unknown> =>
  JSON.parse(await readFile(join(repository, path), 'utf8'));

/** Writes a file of JSON as npm does. */
export const writeJson = (file: string, content: unknown): Promise<void> =>
  writeFile(file, `${JSON.stringify(content, null, 2)}\n`);

/** Copies what the `files` of a manifest name to the same paths of a folder; what they take out again npm leaves out. */
export const copyFiles = async (files: ReadonlyArray<string>, folder: string): Promise<void> => {
  for (const path of files.filter((each) => !each.startsWith('!'))) {
    await cp(join(repository, path), join(folder, path), { recursive: true });
  }
};

/** Has a folder filled, packs it as npm would publish it, and puts the tarball into another one. */
export const packStage = async (fill: (folder: string) => Promise<void>, target: string): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'animal-store-package-'));
  try {
    await fill(folder);
    await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', target], { cwd: folder });
  } finally {
    await rm(folder, { recursive: true });
  }
};
