import { readManifest } from './read-manifest';

const servicePackages = (): string =>
  Object.entries(readManifest().peerDependencies)
    .filter(([name]) => !name.startsWith('@types/'))
    .map(([name, range]) => `"${name}@${range}"`)
    .join(' ');

const named = /Cannot find module '([^']+)'/;

/** Says what to install beside the package, where a package that it leaves to its user is missing. */
export const missingPackageText = (error: unknown): string | undefined => {
  const missing = error instanceof Error ? named.exec(error.message)?.[1] : undefined;
  if (missing === undefined) return undefined;
  return [
    `animal-store: ${missing} is not installed. A library's users choose among such packages; the service needs them:`,
    `npm install ${servicePackages()}`,
    `(with --global if animal-store was installed so; of pg and sqlite3 it needs the one of its DATABASE_URL)`,
  ].join('\n');
};
