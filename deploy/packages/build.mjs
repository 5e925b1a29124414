// Builds dist if its sources have changed. Runs without development packages if dist is current. With --check it builds
// nothing, and fails if dist is not current.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const repository = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const sources = [
  'deploy/packages/build.mjs',
  'core',
  'adapters',
  'app',
  'test/contracts',
  'knexfile.ts',
  'tsconfig.json',
  'package-lock.json',
];
const stamp = 'dist/sources.sha256';
const pages = 'adapters/web';

const filesIn = (path) =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .sort()
        .flatMap((name) => filesIn(join(path, name)))
    : [path];

const digestOf = (paths) => {
  const hash = createHash('sha256');
  for (const file of paths.flatMap(filesIn)) hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  return hash.digest('hex');
};

const end = (text) => {
  process.stderr.write(`${text}\n`);
  process.exit(1);
};

// Compresses the files that the pages load. Removes their references to source maps, which the service does not have.
// Brotli's best quality would take ten times as long for 8 % fewer bytes.
const compressPages = (folder) => {
  for (const file of filesIn(folder).filter((name) => /\.(?:css|js|mjs)$/.test(name))) {
    const text = readFileSync(file, 'utf8').replace(/^\/[/*]# sourceMappingURL=.*\n?/m, '');
    writeFileSync(file, text);
    writeFileSync(`${file}.gz`, gzipSync(text, { level: 9 }));
    writeFileSync(
      `${file}.br`,
      brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    );
  }
};

const build = async () => {
  const compiler = 'node_modules/typescript/bin/tsc';
  if (!existsSync(compiler))
    end(
      'dist is older than its sources: run npm ci --include=dev, which installs what the build needs, also if NODE_ENV is production',
    );
  const { status } = spawnSync(process.execPath, [compiler, '-p', '.'], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  // Delete the output of deleted sources: Node would load an old `name.js` instead of `name/index.js`.
  for (const file of ['core', 'adapters', 'app'].flatMap((folder) => filesIn(join('dist', folder))))
    if (file.endsWith('.js') && !existsSync(`${relative('dist', file).slice(0, -'.js'.length)}.ts`))
      rmSync(file);
  chmodSync('dist/app/main.js', 0o755);
  const { buildSync } = await import('esbuild');
  // Writes the client as one file, which a page loads by `<script type="module">`.
  buildSync({
    entryPoints: ['adapters/client/index.ts'],
    outfile: 'dist/client.mjs',
    bundle: true,
    format: 'esm',
    minify: true,
    platform: 'browser',
    sourcemap: true,
  });
  // Empties the folder first. A file that was renamed would otherwise still be served under its old name.
  rmSync(join('dist', pages), { recursive: true, force: true });
  cpSync(pages, join('dist', pages), { recursive: true });
  cpSync('dist/client.mjs', join('dist', pages, 'client.mjs'));
  compressPages(join('dist', pages));
};

process.chdir(repository);
const digest = digestOf(sources);
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest) {
  if (process.argv.includes('--check')) end('dist is older than its sources: run npm run build');
  if (process.stderr.isTTY) process.stderr.write('building, which takes about 20 s\n');
  // Removes the stamp before the build, because a failed build also writes files.
  rmSync(stamp, { force: true });
  await build();
  writeFileSync(stamp, digest);
}
