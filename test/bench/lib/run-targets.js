import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { targets } from '../targets.js';
import { createSqliteFile, startPostgres } from './databases.js';

const patience = 20_000;

const clockTicks = 100;

const residentMegabytes = (pid, field) =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) /
  1024;

/** Returns the seconds of processor time that a process has used (utime and stime in proc(5)). */
export const processorSeconds = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / clockTicks;
};

const addressFrom = (child) =>
  new Promise((resolve, reject) => {
    let words = '';
    const timer = setTimeout(() => reject(new Error(`not ready within ${patience} ms: ${words}`)), patience);
    child.stderr.on('data', (chunk) => {
      words += chunk;
      const address = /serves (http:\/\/\S+)/.exec(words)?.[1];
      if (address !== undefined) {
        clearTimeout(timer);
        resolve(address);
      }
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`ended with ${code}: ${words}`));
    });
  });

/** Starts a server, whose log goes to a file. */
const startTarget = async ({ arguments: nodeArguments, databaseUrl, key, logFile, apiKeys }) => {
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, nodeArguments, {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: '0',
      DATABASE_URL: databaseUrl,
      ...(apiKeys === undefined ? {} : { API_KEYS: apiKeys }),
    },
    stdio: ['ignore', log, 'pipe'],
  });
  const address = await addressFrom(child);
  return {
    address,
    key,
    pid: child.pid,
    /** Returns the resident memory in megabytes. */
    resident: () => residentMegabytes(child.pid, 'VmRSS'),
    /** Returns the largest resident memory so far in megabytes. */
    mostResident: () => residentMegabytes(child.pid, 'VmHWM'),
    emptyLog: () => {
      ftruncateSync(log);
    },
    stop: async () => {
      const ended = child.exitCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(timer);
      closeSync(log);
    },
  };
};

const databaseName = (name) => name.replaceAll('-', '_');

const isService = (name) => name === 'before' || name.startsWith('animal-store');

const makeDatabases = async (names, { animals, directory }) => {
  const ofKind = (kind) => names.filter((name) => targets[name].database === kind);
  const databases = {};
  const original = join(directory, 'original.sqlite3');
  if (ofKind('sqlite').length > 0) {
    const key = await createSqliteFile(original, animals);
    for (const name of ofKind('sqlite')) {
      const filename = join(directory, `${name}.sqlite3`);
      databases[name] = { databaseUrl: `sqlite:${filename}`, key };
      // An earlier version of the service may have another schema.
      if (name === 'before')
        databases[name].key = await createSqliteFile(filename, animals, targets[name].arguments[0]);
      else await copyFile(original, filename);
    }
  }
  if (ofKind('postgres').length === 0) return { databases, stop: async () => undefined };
  const server = await startPostgres(join(directory, 'postgres'));
  const key = await server.createDatabases(ofKind('postgres').map(databaseName), animals);
  for (const name of ofKind('postgres'))
    databases[name] = { databaseUrl: server.urlOf(databaseName(name)), key };
  return { databases, stop: server.stop };
};

/** Makes an empty directory for data, which the user of PostgreSQL can enter. */
const emptyDirectory = async (directory) => {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true, mode: 0o755 });
};

/** Starts all targets, each on its own copy of the same animals. `stop` ends them and removes the data. */
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
