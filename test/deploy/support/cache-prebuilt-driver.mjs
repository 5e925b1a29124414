// Stores the SQLite driver that was compiled here in the cache of npm, where the driver's install script finds it and
// downloads nothing. The argument is the folder of the cache.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';

const require = createRequire(import.meta.url);
process.env.npm_config_cache = process.argv[2];
const { cachedPrebuild, getDownloadUrl } = require('prebuild-install/util');
const pkg = require('sqlite3/package.json');

const { platform, arch } = process;
const abi = String(Math.max(...pkg.binary.napi_versions));
const file = cachedPrebuild(getDownloadUrl({ pkg, runtime: 'napi', abi, platform, arch, 'tag-prefix': 'v' }));
const folder = dirname(require.resolve('sqlite3/package.json'));
mkdirSync(dirname(file), { recursive: true });
execFileSync('tar', ['-czf', file, '-C', folder, join('build', 'Release', 'node_sqlite3.node')]);
