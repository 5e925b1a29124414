import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as t from 'io-ts';
import { decodeOrThrow } from '../../core';

const repository = join(__dirname, '..', '..');

const readJson = <A>(path: string, codec: t.Type<A, unknown>): A =>
  decodeOrThrow(codec, JSON.parse(readFileSync(join(repository, path), 'utf8')));

const Manifest = t.intersection([t.UnknownRecord, t.type({ files: t.array(t.string) })]);
const ServiceManifest = t.intersection([Manifest, t.type({ name: t.string, version: t.string })]);
const LockFile = t.type({
  lockfileVersion: t.number,
  packages: t.record(t.string, t.intersection([t.UnknownRecord, t.partial({ dev: t.boolean })])),
});

const writeJson = (file: string, content: unknown): void => {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
};

/** Replaces each link to a file that the package lacks by the text of the link. */
const removeBrokenLinks = (folder: string): void => {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.md')) continue;
    const file = join(folder, name);
    const text = readFileSync(file, 'utf8').replace(
      /\[([^\]]+)\]\(([^)#:]+)[^)]*\)/g,
      (link: string, words: string, target: string) =>
        existsSync(join(dirname(file), target)) ? link : words,
    );
    writeFileSync(file, text);
  }
};

/** Packs a manifest and copies of these files, as npm would publish them. Returns the path of the tarball. */
const pack = (
  target: string,
  manifest: object,
  files: ReadonlyArray<string>,
  finish: (folder: string) => void,
): string => {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-package-'));
  try {
    for (const path of ['README.md', ...files.filter((each) => !each.startsWith('!'))]) {
      cpSync(join(repository, path), join(folder, path), { recursive: true });
    }
    removeBrokenLinks(folder);
    writeJson(join(folder, 'package.json'), manifest);
    finish(folder);
    const options = ['--ignore-scripts', '--silent', '--pack-destination', target];
    return join(target, execFileSync('npm', ['pack', ...options], { cwd: folder, encoding: 'utf8' }).trim());
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** Removes the references to source maps, which only the contract suites have. */
const removeMapComments = (folder: string): void => {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js')) continue;
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^\/\/# sourceMappingURL=.*\n?/m, ''));
  }
};

export const packLibrary = (target: string): string => {
  const { version } = readJson('package.json', ServiceManifest);
  const content = readJson('deploy/packages/library.json', Manifest);
  return pack(target, { ...content, version }, content.files, (folder) => {
    cpSync(join(repository, 'deploy', 'packages', 'library.md'), join(folder, 'README.md'));
    removeMapComments(join(folder, 'dist', 'core'));
    removeMapComments(join(folder, 'dist', 'adapters'));
  });
};

/** Removes from a manifest what only a checkout needs. */
const withoutDevelopment = <A extends object>(manifest: A): A => ({
  ...manifest,
  bin: { 'animal-store': 'dist/app/main.js' },
  devDependencies: undefined,
  scripts: undefined,
});

/** Packs the service with a shrinkwrap, which pins the versions of the lock file. */
export const packService = (target: string): string => {
  const content = readJson('package.json', ServiceManifest);
  const { name, version, files } = content;
  const { lockfileVersion, packages } = readJson('package-lock.json', LockFile);
  const locked = Object.entries(packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([path, entry]) => [path, path === '' ? withoutDevelopment(entry) : entry] as const);
  const pinned = { name, version, lockfileVersion, requires: true, packages: Object.fromEntries(locked) };
  const shrinkwrap = 'npm-shrinkwrap.json';
  const manifest = { ...withoutDevelopment(content), files: [...files, shrinkwrap] };
  return pack(target, manifest, files, (folder) => {
    writeJson(join(folder, shrinkwrap), pinned);
  });
};

if (require.main === module) {
  if (process.argv.length > 2) {
    process.stderr.write(
      'usage: npm run pack\nWrites the two packages to dist/packages. Takes no arguments.\n',
    );
    process.exit(1);
  }
  const target = join(repository, 'dist', 'packages');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const tarball of [packLibrary(target), packService(target)])
    process.stdout.write(`wrote ${tarball}\n`);
}
