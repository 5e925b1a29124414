import { expect } from 'chai';
import * as t from 'io-ts';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { decodeOrThrow } from '../../core';
import { projectFolder } from '../support/processes/command';
import { libraryEntries, libraryManifest, type Manifest, readManifest } from '../support/packages';

const importsOf = (file: string): ReadonlyArray<string> =>
  ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles.map(({ fileName }) => fileName);

const packageOf = (specifier: string): string =>
  specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

const sourceOf = (specifier: string): string => {
  const path = specifier.replace(/\.js$/, '');
  return existsSync(`${path}.ts`) ? `${path}.ts` : join(path, 'index.ts');
};

/**
 * Returns the packages that a source file imports, directly or through other files of the project. Imports of types
 * count.
 */
const packagesReached = (file: string): ReadonlySet<string> => {
  const files = new Set([file]);
  const packages = new Set<string>();
  for (const each of files) {
    for (const specifier of importsOf(each)) {
      if (specifier.endsWith('.json')) continue;
      if (specifier.startsWith('.')) files.add(sourceOf(join(dirname(each), specifier)));
      else if (!specifier.startsWith('node:')) packages.add(packageOf(specifier));
    }
  }
  return packages;
};

const LockFile = t.type({
  packages: t.record(
    t.string,
    t.partial({
      dependencies: t.record(t.string, t.string),
      devDependencies: t.record(t.string, t.string),
    }),
  ),
});

describe('what npm installs', () => {
  let manifest: Manifest;
  let packages: t.TypeOf<typeof LockFile>['packages'];

  before(async () => {
    manifest = await readManifest(libraryManifest);
    const text = readFileSync(join(projectFolder, 'package-lock.json'), 'utf8');
    packages = decodeOrThrow(LockFile, JSON.parse(text)).packages;
  });

  it('includes what the entries import, except the peers', () => {
    const reached = new Set(libraryEntries().flatMap(([, source]) => [...packagesReached(source)]));
    const left = Object.keys(manifest.peerDependencies);
    const own = [...reached].filter((name) => !left.includes(name)).sort();
    expect(Object.keys(manifest.dependencies).sort()).to.deep.equal(own);
  });

  it('leaves to Yarn the peers that docs/embedding.md names', () => {
    const needed = Object.keys(manifest.peerDependencies).filter(
      (name) => manifest.peerDependenciesMeta[name]?.optional !== true,
    );
    const page = readFileSync(join(projectFolder, 'docs/embedding.md'), 'utf8');
    expect(page).to.include(`yarn add ./animal-store-0.1.0.tgz ${needed.join(' ')}`);
  });

  it('includes every dependency and peer of the library in the service, the former in the same range', () => {
    const { dependencies = {}, devDependencies = {} } = packages[''] ?? {};
    expect(dependencies).to.include(manifest.dependencies);
    expect({ ...dependencies, ...devDependencies }).to.include.all.keys(manifest.peerDependencies);
  });
});
