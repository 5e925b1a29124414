#!/usr/bin/env node
// Ends with 0 once the service of this environment is ready, with 1 where it is not after so many seconds: none unless
// said otherwise. For a unit's start and a container's health.
import { get } from 'node:http';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

const { PORT, HOST, ADMIN_PORT, ADMIN_HOST } = process.env;
const host = ((ADMIN_PORT ? ADMIN_HOST : HOST) || '127.0.0.1')
  .replace(/^0\.0\.0\.0$/, '127.0.0.1')
  .replace(/^::$/, '::1');
const port = ADMIN_PORT || PORT || 3000;
const address = `http://${host.includes(':') ? `[${host}]` : host}:${port}/readyz`;

// Not by fetch, which refuses many a port that a service may have (Fetch, "port blocking").
const ask = async () => {
  const signal = AbortSignal.timeout(5000);
  try {
    const response = await new Promise((resolve, reject) => {
      get({ host, port, path: '/readyz', agent: false, signal }, resolve).on('error', reject);
    });
    const body = await text(response);
    return response.statusCode === 200 ? undefined : body;
  } catch (error) {
    return String(error);
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
