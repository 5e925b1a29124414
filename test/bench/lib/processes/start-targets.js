import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { targets } from '../../targets.js';
import { startPostgres } from '../databases/postgres-server.js';
import { createSqliteFile } from '../databases/sqlite-file.js';
import { startTarget } from './target-process.js';

const databaseName = (name) => name.replaceAll('-', '_');

const isService = (name) => name.startsWith('animal-store');

const makeDatabases = async (names, { animals, directory }) => {
  const ofKind = (kind) => names.filter((name) => targets[name].database === kind);
  const databases = {};
  const original = join(directory, 'original.sqlite3');
  if (ofKind('sqlite').length > 0) {
    const key = await createSqliteFile(original, animals);
    for (const name of ofKind('sqlite')) {
      const filename = join(directory, `${name}.sqlite3`);
      await copyFile(original, filename);
      databases[name] = { databaseUrl: `sqlite:${filename}`, key };
    }
  }
  if (ofKind('postgres').length === 0) return { databases, stop: async () => undefined };
  const server = await startPostgres(join(directory, 'postgres'));
  const key = await server.createDatabases(ofKind('postgres').map(databaseName), animals);
  for (const name of ofKind('postgres'))
    databases[name] = { databaseUrl: server.urlOf(databaseName(name)), key };
  return { databases, stop: server.stop };
};

/** Makes an empty directory for data; as root, PostgreSQL's user has to get through it. */
export const emptyDirectory = async (directory) => {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true, mode: 0o755 });
};

/** Starts all targets at once, each on its own copy of the same animals; `stop` ends them and removes the data. */
export const startTargets = async (names, options) => {
  await emptyDirectory(options.directory);
  const { databases, stop } = await makeDatabases(names, options);
  const running = {};
  const stopAll = async () => {
    await Promise.all(Object.values(running).map((target) => target.stop()));
    await stop();
    await rm(options.directory, { recursive: true, force: true });
  };
  try {
    for (const name of names) {
      running[name] = await startTarget({
        ...databases[name],
        arguments: targets[name].arguments,
        logFile: join(options.directory, `${name}.log`),
        apiKeys: isService(name) ? undefined : databases[name].key,
      });
    }
  } catch (error) {
    await stopAll();
    throw error;
  }
  return { running, stop: stopAll };
};
