import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../support/processes/command';
import { toolFolder } from './embedder-folder';

export const key = 'the-key-of-the-shelter';
const page = readFileSync(join(projectFolder, 'docs/embedding.md'), 'utf8');

/** Returns the code in the row of a host in docs/embedding.md. */
const lineOf = (host: string): string => {
  const line = new RegExp(`^\\| ${host} +\\|[^|]*\\| \`(.*)\` +\\|$`, 'm').exec(page)?.[1];
  if (line === undefined) throw new Error(`docs/embedding.md has no row of ${host}`);
  return line.replaceAll('\\|', '|');
};

const bun = toolFolder('@oven/bun-linux-x64/bin/bun');
const deno = toolFolder('@deno/linux-x64-glibc/deno');
// The launcher of the package `workerd` starts this program as a child, which would outlive a killed launcher.
const workerd = toolFolder('@cloudflare/workerd-linux-64/bin/workerd');

/**
 * Module with the handler that all hosts serve. Its store is in memory, because other stores do not run on every host.
 */
export const handle = `
import { petRoutesHandler } from 'animal-store/fetch';
import { storeOpener } from 'animal-store/core';
import { inMemoryApiKeys, inMemoryPetRepository } from 'animal-store/in-memory';
const { authenticate } = inMemoryApiKeys([['shelter', '${key}']]);
export const handle = petRoutesHandler({
  openStore: storeOpener({ pets: inMemoryPetRepository(), authenticate }),
});
`;

export type Command = readonly [program: string, ...programArguments: ReadonlyArray<string>];

export interface Host {
  readonly packages?: ReadonlyArray<string>;
  readonly files: (port: number) => Readonly<Record<string, string>>;
  readonly builds?: ReadonlyArray<Command>;
  readonly start: (port: number) => Command;
  /** Request that the host answers itself, and the status of its response. */
  readonly own?: readonly [init: RequestInit, status: number];
}

const onNode =
  (program: string): Host['start'] =>
  () => [process.execPath, program];

/** Bundles a program without any module of Node. */
const bundle: Command = [
  toolFolder('.bin/esbuild'),
  ...['main.mjs', '--bundle', '--format=esm', '--platform=neutral', '--main-fields=module,main'],
  '--outfile=bundle.mjs',
];

export const hosts: Readonly<Record<string, Host>> = {
  Bun: {
    files: () => ({ 'main.mjs': `import { handle } from './handle.mjs';\n${lineOf('Bun')}` }),
    start: () => [bun, 'run', 'main.mjs'],
  },
  Deno: {
    files: () => ({ 'main.mjs': `import { handle } from './handle.mjs';\n${lineOf('Deno')}` }),
    builds: [bundle],
    start: () => [deno, 'run', '--no-config', '--allow-net=127.0.0.1', '--quiet', 'bundle.mjs'],
  },
  Workers: {
    files: (port) => ({
      'main.mjs': `import { handle } from './handle.mjs';\n${lineOf('Workers')}`,
      'worker.capnp': `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "bundle.mjs")],
  compatibilityDate = "2026-01-01",
);`,
    }),
    builds: [bundle],
    start: () => [workerd, 'serve', 'worker.capnp'],
  },
  'h3 1': {
    packages: ['h3'],
    files: () => ({
      'main.mjs': `import { createServer } from 'node:http';
import { createApp, eventHandler, toNodeListener, toWebRequest } from 'h3';
import { handle } from './handle.mjs';
const app = createApp();
${lineOf('h3 1')}
createServer(toNodeListener(app)).listen(3000, '127.0.0.1');`,
    }),
    start: onNode('main.mjs'),
  },
  SvelteKit: {
    packages: ['@sveltejs/kit', '@sveltejs/adapter-node', '@sveltejs/vite-plugin-svelte', 'svelte', 'vite'],
    files: () => ({
      'package.json': '{"type":"module"}',
      'svelte.config.js': `import adapter from '@sveltejs/adapter-node';\nexport default { kit: { adapter: adapter() } };`,
      'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite';\nexport default { plugins: [sveltekit()] };`,
      'src/app.html': '<head>%sveltekit.head%</head><body>%sveltekit.body%</body>',
      'src/routes/v1/pets/[[petId]]/+server.js': `import { handle } from '../../../../../handle.mjs';\n${lineOf('SvelteKit')}`,
    }),
    builds: [[process.execPath, toolFolder('vite/bin/vite.js'), 'build']],
    start: onNode('build/index.js'),
    own: [{ method: 'POST', headers: { Origin: 'https://another.example' }, body: 'a=1' }, 403],
  },
};
