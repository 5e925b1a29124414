#!/usr/bin/env node
// Ends with 0 once the service of this environment is ready, with 1 where it is not after so many seconds: none unless
// said otherwise. For a unit's start and a container's health.
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

const { PORT, HOST, ADMIN_PORT, ADMIN_HOST } = process.env;
const host = ((ADMIN_PORT ? ADMIN_HOST : HOST) || '127.0.0.1')
  .replace(/^0\.0\.0\.0$/, '127.0.0.1')
  .replace(/^::$/, '::1');
const address = `http://${host.includes(':') ? `[${host}]` : host}:${ADMIN_PORT || PORT || 3000}/readyz`;

const ask = async () => {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(5000) });
    return response.ok ? undefined : await response.text();
  } catch (error) {
    return String(error.cause ?? error);
  }
};

const end = performance.now() + Number(process.argv[2] ?? 0) * 1000;
let obstacle = await ask();
while (obstacle !== undefined && performance.now() < end) {
  await delay(100);
  obstacle = await ask();
}
if (obstacle !== undefined) process.stderr.write(`${address} is not ready: ${obstacle}\n`);
process.exit(obstacle === undefined ? 0 : 1);
