#!/usr/bin/env node
// Exits with 0 if the service with the settings of this environment is ready, otherwise with 1. With a process id as
// its argument, first waits until the service is ready or that process has ended. The systemd unit and the health check
// of the image run this program.
import { get } from 'node:http';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

const [publicPort, publicHost, adminPort, adminHost] = ['PORT', 'HOST', 'ADMIN_PORT', 'ADMIN_HOST'].map(
  (name) => process.env[name]?.trim(),
);
const host = ((adminPort ? adminHost : publicHost) || '127.0.0.1')
  .replace(/^\[(.*)\]$/, '$1')
  .replace(/^0\.0\.0\.0$/, '127.0.0.1')
  .replace(/^::$/, '::1');
const port = adminPort || publicPort || 3000;
const address = `http://${host.includes(':') ? `[${host}]` : host}:${port}/readyz`;

const timeoutSeconds = 5;

/**
 * Returns why the service is not ready, or undefined if it is. Does not use `fetch`, which refuses many ports (Fetch
 * Standard, "port blocking").
 */
const findObstacle = async () => {
  const signal = AbortSignal.timeout(timeoutSeconds * 1000);
  try {
    const response = await new Promise((resolve, reject) => {
      get({ host, port, path: '/readyz', agent: false, signal }, resolve).on('error', reject);
    });
    const body = await text(response);
    return response.statusCode === 200 ? undefined : body;
  } catch (error) {
    if (signal.aborted) return `no answer within ${timeoutSeconds} s`;
    // Returns the code of an error without a message, as for a host name with several addresses.
    return error.message || error.code;
  }
};

const isAlive = (processId) => {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
};

const processId = Number(process.argv[2] ?? 0);
let obstacle = await findObstacle();
while (obstacle !== undefined && processId > 0 && isAlive(processId)) {
  await delay(100);
  obstacle = await findObstacle();
}
if (obstacle !== undefined) process.stderr.write(`${address} is not ready: ${obstacle}\n`);
process.exit(obstacle === undefined ? 0 : 1);
