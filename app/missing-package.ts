import { createRequire } from 'node:module';
import * as t from 'io-ts';
import { decodeOrThrow } from '../core';

const Manifest = t.type({ name: t.string, peerDependencies: t.record(t.string, t.string) });

const servicePackages = (manifest: t.TypeOf<typeof Manifest>): string =>
  Object.entries(manifest.peerDependencies)
    .filter(([name]) => !name.startsWith('@types/'))
    .map(([name, range]) => `"${name}@${range}"`)
    .join(' ');

const named = /Cannot find module '([^']+)'/;

/** Says what to install beside the package, where a package that it leaves to its user is missing. */
export const missingPackageText = (error: unknown): string | undefined => {
  const missing = error instanceof Error ? named.exec(error.message)?.[1] : undefined;
  if (missing === undefined) return undefined;
  const manifest = decodeOrThrow(Manifest, createRequire(__filename)('animal-store/package.json'));
  return [
    `animal-store: ${missing} is not installed. A library's users choose among such packages; the service needs them:`,
    `npm install ${servicePackages(manifest)}`,
    `(with --global if animal-store was installed so; of pg and sqlite3 it needs the one of its DATABASE_URL)`,
  ].join('\n');
};
