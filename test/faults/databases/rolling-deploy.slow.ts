import { expect } from 'chai';
import { proxies, type StartProxy } from '../../deploy/support/proxies';
import { eventually } from '../../support/eventually';
import { call, environmentOf } from '../../support/http/client';
import { inPostgresDatabase } from '../../support/postgres/postgres';
import { type Environment, killPrograms } from '../../support/processes/command';
import { freePort, needsPrograms } from '../../support/processes/system';
import { killServices, type ServiceProcess, startService } from '../../support/service/service-process';
import { removeFolders } from '../../support/temporary-folder';
import { otherBuild } from '../support/builds';
import { expectStored, newLedger, useUntilOver } from '../support/ledger';

const readiness = (address: string): Promise<string> =>
  call(`${address}/readyz`).then(
    ({ status, text }) => `${status} ${text}`,
    (error: unknown) => String(error),
  );

const isReady = async (address: string): Promise<boolean> => (await readiness(address)).startsWith('200');

const startReady = async (environment: Environment, port: number): Promise<ServiceProcess> => {
  const service = await startService({ ...environment, PORT: `${port}` });
  await eventually('it is ready', 60_000, () => isReady(service.address));
  return service;
};

/** Delay of a stop, longer than the interval of the proxies' health checks. */
const stopDelayMs = 2_000;
/**
 * Maximum time of a stop. It has only half of the 10 s after which a stop closes busy connections, so that a stop that
 * waits for this limit fails.
 */
const longestStopMs = stopDelayMs + 5_000;

/** Replaces the instances one by one, while the other one stays ready. */
const replaceAll = async (running: ReadonlyArray<ServiceProcess>, environment: Environment) => {
  const started: Array<ServiceProcess> = [];
  for (const service of running) {
    const began = performance.now();
    expect(await service.stop()).to.include({ code: 0, signal: null });
    expect(performance.now() - began, 'milliseconds of a stop').to.be.below(longestStopMs);
    started.push(await startReady(environment, Number(new URL(service.address).port)));
    for (const { address } of running.slice(started.length)) {
      expect(await readiness(address), 'next to another build').to.match(/^200/);
    }
  }
  return started;
};

const clients = 32;

/** Deploys and rolls back under load. Clients use a proxy, or else choose an instance themselves. */
const deployAndRollBack = async (databaseUrl: string, startProxy?: StartProxy): Promise<void> => {
  const older = { ...environmentOf(databaseUrl), TRUST_PROXY: '1', STOP_DELAY: `${stopDelayMs}` };
  const running = [
    await startReady(older, await freePort()),
    await startReady(older, await freePort()),
  ] as const;
  const [{ host: first }, { host: second }] = [new URL(running[0].address), new URL(running[1].address)];
  const proxy = await startProxy?.([first, second]);
  const addresses = proxy === undefined ? running.map(({ address }) => address) : [proxy.address];
  const ledger = newLedger();
  let isOver = false;
  // A client that an instance rejects continues with the next instance.
  const load = Promise.all(
    Array.from({ length: clients }, (_, client) => {
      let place = client;
      return useUntilOver({
        name: `${client}`,
        ledger,
        address: () => addresses[place % addresses.length] ?? '',
        // Without a proxy, all clients keep their connections, because a new connection to a port that is closing is
        // reset. A proxy opens no connection to a stopping instance.
        keepAlive: proxy === undefined || client % 4 !== 0,
        turnAway: () => (place += 1),
        isOver: () => isOver,
      });
    }),
  );
  const started = await replaceAll(running, { ...older, ...otherBuild('adds') });
  const deployed = ledger.acknowledged.length;
  await replaceAll(started, older);
  expect(deployed, 'creates during the deploy').to.be.greaterThan(0);
  expect(ledger.acknowledged.length, 'creates during deploy and rollback').to.be.greaterThan(deployed);
  isOver = true;
  await load;
  expect(Object.fromEntries(ledger.failed), 'failed requests').to.deep.equal({});
  const stored = await expectStored({ address: addresses[0] ?? '' }, ledger);
  expect(stored).to.equal(ledger.acknowledged.length);
};

describe('Instances on one PostgreSQL database', () => {
  afterEach(killPrograms);
  afterEach(killServices);
  afterEach(removeFolders);

  it('fail no request during a deploy that adds a column, and its rollback', () =>
    inPostgresDatabase((databaseUrl) => deployAndRollBack(databaseUrl)));

  describe('behind a shipped proxy', () => {
    needsPrograms('nginx', 'haproxy', 'openssl');

    for (const [name, startProxy] of proxies) {
      it(`fail no request during a deploy and its rollback behind ${name}`, () =>
        inPostgresDatabase((databaseUrl) => deployAndRollBack(databaseUrl, startProxy)));
    }
  });
});
