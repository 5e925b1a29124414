import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { service } from '../../targets.js';

const run = promisify(execFile);

const serviceCommand = async (databaseUrl, ...command) => {
  const { stdout } = await run(process.execPath, [service[0], ...command], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
  });
  return stdout;
};

/** Brings a database to the schema that the service keeps. */
export const migrate = (databaseUrl) => serviceCommand(databaseUrl, 'migrate');

/** Issues an API key that the database holds: how the service is used with default settings. */
export const createKey = async (databaseUrl) =>
  JSON.parse(await serviceCommand(databaseUrl, 'keys', 'create', '--name', 'bench', '--json')).key;
