import * as E from 'fp-ts/Either';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { readHeartbeat } from '../../adapters/knex';
import { fieldErrorTexts } from '../../core';
import { databaseTimeouts, processTimeouts } from '../../core/timeouts';
import { databaseOf } from '../backend/database';
import { failureText } from '../failures';
import { settingWarnings } from '../settings/setting-warnings';
import { changedSettings, readSettings, type Settings } from '../settings/settings';
import { type CheckResult, failed, passed } from './check-result';
import { inspectData } from './inspect-data';

/** Returns the body of a response. `fetch` would refuse many ports (Fetch Standard, "port blocking"). */
const ask = async (host: string, port: number, path: string): Promise<string | undefined> => {
  const signal = AbortSignal.timeout(processTimeouts.doctorMs);
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get({ host, port, path, agent: false, signal }, resolve).on('error', reject);
    });
    return await text(response);
  } catch {
    return undefined;
  }
};

/**
 * True if the animal store that listens there uses the database of the settings. Its readiness check commits a heartbeat
 * to the database, at most once a second. Two stores in memory can't be told apart, and pass.
 */
const usesSameDatabase = async (settings: Settings, host: string, port: number): Promise<boolean> => {
  const database = databaseOf(settings)?.openAsFound();
  if (database === undefined) return true;
  try {
    const before = await readHeartbeat(database)();
    for (const pauseMs of [0, databaseTimeouts.readinessCacheMs]) {
      await delay(pauseMs);
      await ask(host, port, '/readyz');
      const after = await readHeartbeat(database)();
      if (E.isRight(before) && E.isRight(after) && before.right !== after.right) return true;
    }
    return false;
  } finally {
    await database.close();
  }
};

const inspectTakenPort = async (
  settings: Settings,
  host: string,
  port: number,
  prefix: '' | 'ADMIN_',
  cause: unknown,
): Promise<CheckResult> => {
  if ((await ask(host, port, '/livez')) !== '{"status":"live"}') {
    return failed('port', failureText({ _tag: 'CannotListen', cause, prefix }, settings.DATABASE_URL));
  }
  const place = `${port} on ${host} is taken by an animal store`;
  return (await usesSameDatabase(settings, host, port))
    ? passed('port', `${place} with this database`)
    : failed('port', `${place} with another database: stop it, or set ${prefix}PORT or ${prefix}HOST`);
};

const inspectPort = async (
  settings: Settings,
  host: string,
  port: number,
  prefix: '' | 'ADMIN_',
): Promise<CheckResult> => {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
    return passed('port', port === 0 ? `any free port on ${host}` : `${port} on ${host} is free`);
  } catch (cause) {
    return await inspectTakenPort(settings, host, port, prefix, cause);
  } finally {
    server.close();
  }
};

const inspectPorts = async (settings: Settings): Promise<ReadonlyArray<CheckResult>> => {
  const { HOST, PORT, ADMIN_HOST, ADMIN_PORT } = settings;
  return Promise.all([
    inspectPort(settings, HOST, PORT, ''),
    ...(ADMIN_PORT === undefined ? [] : [inspectPort(settings, ADMIN_HOST, ADMIN_PORT, 'ADMIN_')]),
  ]);
};

/** Checks what `serve` needs, without changing data. `isThorough` reads a SQLite file completely, with its indexes. */
export const diagnose = async (
  environment: NodeJS.ReadOnlyDict<string>,
  isThorough = false,
): Promise<ReadonlyArray<CheckResult>> => {
  const read = readSettings(environment);
  if (E.isLeft(read)) return fieldErrorTexts(read.left).map((text) => failed('settings', text));
  const settings = read.right;
  return [
    passed('settings', changedSettings(settings).join(', ') || 'all settings are default'),
    ...settingWarnings(environment, settings).map((text) => passed('settings', `warning: ${text}`)),
    ...(await inspectPorts(settings)),
    ...(await inspectData(settings, isThorough)),
  ];
};
