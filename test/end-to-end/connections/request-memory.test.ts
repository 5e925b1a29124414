import { expect } from 'chai';
import { main, startProgram } from '../../support/processes/command';
import { readMetrics } from '../../support/service/read-metrics';
import { type ServiceProcess, whenServing } from '../../support/service/service-process';

const apiKey = 'a-key-for-tests';
const environment = {
  PORT: '0',
  ADMIN_PORT: '0',
  DATABASE_URL: 'memory:',
  API_KEYS: apiKey,
  LOG_LEVEL: 'silent',
};

/**
 * V8 collects young memory after each megabyte. The optimizing compiler is off, since it can decide to place the
 * objects of a request in old memory at once.
 */
const v8Flags = ['--max-semi-space-size=1', '--no-opt'];

const oldBytes = async (service: ServiceProcess): Promise<number> =>
  (await readMetrics(service)).get('nodejs_heap_space_size_used_bytes{space="old"}') ?? NaN;

const windows = 7;
const requestsPerWindow = 300;

/** Returns the number of old bytes that remain in memory after a request. */
const growth = async (service: ServiceProcess): Promise<number> => {
  const before = await oldBytes(service);
  for (let sent = 0; sent < requestsPerWindow; sent += 1) {
    const response = await fetch(`${service.address}/v1/pets`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    expect(await response.json()).to.deep.equal([]);
  }
  return ((await oldBytes(service)) - before) / requestsPerWindow;
};

describe('The memory of a finished request', () => {
  it('is freed by the next young collections, without a full one', async () => {
    const program = startProgram(process.execPath, [...v8Flags, main, 'serve'], { environment });
    const service = await whenServing(program);
    const growths: Array<number> = [];
    while (growths.length < windows) growths.push(await growth(service));
    await service.stop();
    // About 200 bytes remain, and 5 kB if a WeakMap refers to the request. The median, since a full collection makes
    // the growth of one window negative.
    const median = growths.toSorted((one, other) => one - other)[(windows - 1) / 2];
    expect(median, growths.join()).to.be.below(2_000);
  });
});
