import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inFolder } from '../../support/temporary-folder';
import { pidOf } from '../../support/processes/system';
import { killServices, startService } from '../../support/service/service-process';
import { fault } from '../support/fault';

/** Time in which the service looks at its database file several times. */
const watchedMs = 2_000;

/** Returns the status of a GET on the one connection of an agent. */
const statusOf = (agent: Agent, url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get(url, { agent, headers: { Authorization: 'Bearer k1' } }, (response) => {
      response.resume().on('end', () => {
        resolve(response.statusCode);
      });
    }).on('error', reject);
  });

describe('A service without free file descriptors', () => {
  afterEach(killServices);

  fault('goes on to serve the connections that it has', () =>
    inFolder(async (folder) => {
      const service = await startService({
        API_KEYS: 'k1',
        DATABASE_URL: `sqlite:${join(folder, 'animals.sqlite3')}`,
      });
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      expect(await statusOf(agent, `${service.address}/readyz`)).to.equal(200);

      const pid = pidOf(service);
      const inUse = readdirSync(`/proc/${pid}/fd`).length;
      execFileSync('prlimit', ['--pid', String(pid), `--nofile=${inUse + 2}`]);
      const { hostname, port } = new URL(service.address);
      const others = Array.from({ length: 20 }, () =>
        connect(Number(port), hostname).on('error', () => undefined),
      );

      const began = performance.now();
      let answers = 0;
      while (performance.now() - began < watchedMs) {
        for (const path of ['/readyz', '/v1/pets', '/docs', '/docs/page.css']) {
          expect(await statusOf(agent, `${service.address}${path}`), path).to.equal(200);
          answers += 1;
        }
        await delay(50);
      }
      for (const other of others) other.destroy();
      agent.destroy();
      expect((await service.stop()).code).to.equal(0);
      return { answers, descriptors: inUse };
    }),
  );
});
