import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const importsOf = (file: string): ReadonlyArray<string> =>
  ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles.map(({ fileName }) => fileName);

const packageOf = (specifier: string): string =>
  specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

const sourceOf = (specifier: string): string => {
  const path = specifier.replace(/\.js$/, '');
  return existsSync(`${path}.ts`) ? `${path}.ts` : join(path, 'index.ts');
};

/** The packages that a source file imports, by itself or by what it imports of the project; types count. */
export const packagesReached = (file: string): ReadonlySet<string> => {
  const files = new Set([file]);
  const packages = new Set<string>();
  for (const each of files) {
    for (const specifier of importsOf(each)) {
      if (specifier.startsWith('.')) files.add(sourceOf(join(dirname(each), specifier)));
      else if (!specifier.startsWith('node:')) packages.add(packageOf(specifier));
    }
  }
  return packages;
};
