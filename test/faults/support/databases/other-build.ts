import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const preloaded = pathToFileURL(join(__dirname, 'more-migrations.mjs')).href;

/** The environment in which the build is another version, with more migrations. */
export const otherBuild = (more: 'adds' | 'breaks' | 'takesLong') => ({
  NODE_OPTIONS: `--import=${preloaded}`,
  TEST_MIGRATIONS: more,
});
