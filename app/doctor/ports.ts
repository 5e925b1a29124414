import * as E from 'fp-ts/Either';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { databaseTimeouts, readHeartbeat } from '../../adapters/knex';
import { databaseOf } from '../backend/database';
import { failureText } from '../failures';
import type { Settings } from '../settings';
import { type CheckResult, failed, passed, warned } from './check-result';

export const requestTimeoutMs = 6_000;

/**
 * Returns the body of a response, or undefined if the request fails. Does not use `fetch`, which
 * refuses many ports (Fetch Standard, "port blocking").
 */
const getBody = async (host: string, port: number, path: string): Promise<string | undefined> => {
  const signal = AbortSignal.timeout(requestTimeoutMs);
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
 * Compares the configured database with that of the animal store at this address. The store's `/readyz` writes a
 * heartbeat to the store's database, at most once a second, and this function looks for it in the configured database.
 * Returns `unknown` if the store can't write now, or if the configured database is in memory.
 */
const compareDatabases = async (
  settings: Settings,
  host: string,
  port: number,
): Promise<'same' | 'other' | 'unknown'> => {
  const database = await databaseOf(settings)?.openForInspection();
  if (database === undefined) return 'unknown';
  try {
    const before = await readHeartbeat(database)();
    let isReady = true;
    for (const pauseMs of [0, databaseTimeouts.readinessCacheMs]) {
      await delay(pauseMs);
      isReady &&= (await getBody(host, port, '/readyz')) === '{"status":"ready"}';
      const after = await readHeartbeat(database)();
      if (E.isRight(before) && E.isRight(after) && before.right !== after.right) return 'same';
    }
    return isReady ? 'other' : 'unknown';
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
  if ((await getBody(host, port, '/livez')) !== '{"status":"live"}') {
    return failed('port', failureText({ _tag: 'CannotListen', cause, prefix }, settings.DATABASE_URL));
  }
  const place = `${prefix}PORT ${port} on ${host} is taken by an animal store`;
  switch (await compareDatabases(settings, host, port)) {
    case 'same':
      return passed('port', `${place} with this database`);
    case 'other':
      return failed('port', `${place} with another database; stop it, or set ${prefix}PORT or ${prefix}HOST`);
    case 'unknown':
      return warned('port', `${place}; \`doctor\` can't tell whether it has this database`);
  }
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
    return passed('port', `${prefix}PORT ${port} on ${host} is ${port === 0 ? 'any free port' : 'free'}`);
  } catch (cause) {
    return await inspectTakenPort(settings, host, port, prefix, cause);
  } finally {
    server.close();
  }
};

/** Checks that `serve` can listen on its ports; doctor.ts calls it. */
export const inspectPorts = async (settings: Settings): Promise<ReadonlyArray<CheckResult>> => {
  const { HOST, PORT, ADMIN_HOST, ADMIN_PORT } = settings;
  return Promise.all([
    inspectPort(settings, HOST, PORT, ''),
    ...(ADMIN_PORT === undefined ? [] : [inspectPort(settings, ADMIN_HOST, ADMIN_PORT, 'ADMIN_')]),
  ]);
};
