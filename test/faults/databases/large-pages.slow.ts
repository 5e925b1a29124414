import { expect } from 'chai';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { decodeOrThrow, PetName } from '../../../core';
import { arbitraryNewPet } from '../../contracts';
import { fault } from '../support/fault';
import { newCatalogue } from '../../support/databases/catalogue';
import { killServices, startService } from '../../support/service/service-process';
import { removeFolders } from '../../support/temporary-folder';

const attackers = 100;
const attackMs = 6_000;

const longName = decodeOrThrow(PetName, 'x'.repeat(65_536));

/** Peak memory of a process, in megabytes. */
const peakMemory = (pid = 0): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

describe('Promise 5: one key that asks for large pages does not harm others', () => {
  afterEach(killServices);
  afterEach(removeFolders);

  fault(`SQLite: ${attackers} clients of one key ask for distinct pages of 6.5 MB`, async () => {
    const { environment } = await newCatalogue(
      Array.from({ length: 300 }, () => ({ ...arbitraryNewPet(), name: longName })),
    );
    const { address, pid } = await startService({ ...environment, API_KEYS: 'attacker,victim' });
    const until = performance.now() + attackMs;
    const agent = new http.Agent({ keepAlive: true });
    const longest: Record<string, number> = {};

    const ask = async (path: string, key: string, body?: string): Promise<number | undefined> => {
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
      const method = body === undefined ? 'GET' : 'POST';
      const request = http.request(`${address}${path}`, { method, headers, agent }).end(body);
      const answered: ReadonlyArray<unknown> = await once(request, 'response');
      const [response] = answered;
      if (!(response instanceof http.IncomingMessage)) throw new TypeError('no response came');
      await once(response.resume(), 'end');
      return response.statusCode;
    };
    const attack = async (after: number): Promise<void> => {
      while (performance.now() < until) await ask(`/v1/pets?limit=100&after=${after}`, 'attacker');
    };
    const suffer = async (path: string, wanted: number, body?: string): Promise<void> => {
      const what = `${body === undefined ? 'GET' : 'POST'} ${path}`;
      while (performance.now() < until) {
        const began = performance.now();
        expect(await ask(path, 'victim', body), what).to.equal(wanted);
        longest[what] = Math.max(longest[what] ?? 0, Math.round(performance.now() - began));
        await delay(50);
      }
    };

    await Promise.all([
      ...Array.from({ length: attackers }, (_, after) => attack(after)),
      suffer('/v1/pets?after=299', 200),
      suffer('/v1/pets?limit=20&after=280', 200),
      suffer('/v1/pets?limit=100&after=150', 200),
      suffer('/v1/pets/300', 200),
      suffer('/v1/pets', 201, '{"name":"Rex","categoryId":1}'),
      suffer('/readyz', 200),
    ]);
    agent.destroy();
    const megabytes = Math.round(peakMemory(pid));
    expect(megabytes, 'megabytes at most').to.be.below(1_200);
    expect(longest['GET /readyz'], 'ms until /readyz').to.be.below(1_000);
    for (const [what, milliseconds] of Object.entries(longest)) expect(milliseconds, what).to.be.below(5_000);
    return { ...longest, megabytes };
  });
});
