import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { call, environmentOf, owner } from '../../support/http/client';
import { pidOf } from '../../support/processes/system';
import { killServices, startService } from '../../support/service/service-process';
import { inFolder } from '../../support/temporary-folder';

/** Time in which the service checks its database file several times. */
const watchedMs = 2_000;

describe('A service without free file descriptors', () => {
  afterEach(killServices);

  it('serves the connections that it has', () =>
    inFolder(async (folder) => {
      const service = await startService(environmentOf(`sqlite:${folder}/animals.sqlite3`));
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const statusOf = async (path: string): Promise<number> =>
        (await call(`${service.address}${path}`, { key: owner, agent })).status;
      expect(await statusOf('/readyz')).to.equal(200);

      const pid = pidOf(service);
      const inUse = readdirSync(`/proc/${pid}/fd`).length;
      execFileSync('prlimit', ['--pid', String(pid), `--nofile=${inUse + 2}`]);
      const { hostname, port } = new URL(service.address);
      const others = Array.from({ length: 20 }, () =>
        connect(Number(port), hostname).on('error', () => undefined),
      );

      const began = performance.now();
      while (performance.now() - began < watchedMs) {
        for (const path of ['/readyz', '/v1/pets', '/docs', '/docs/theme.css']) {
          expect(await statusOf(path), path).to.equal(200);
        }
        await delay(50);
      }
      for (const other of others) other.destroy();
      agent.destroy();
      expect((await service.stop()).code).to.equal(0);
    }));
});
