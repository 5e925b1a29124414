import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually';
import { call, environmentOf } from '../../support/http/client';
import { inPostgresDatabase } from '../../support/postgres/postgres';
import { type Environment, runCommand } from '../../support/processes/command';
import { freePort } from '../../support/processes/system';
import { killServices, type ServiceProcess, startService } from '../../support/service/service-process';
import { otherBuild } from '../support/builds';
import { fault, type Figures } from '../support/fault';
import { createUntil, expectStored, type Ledger, newLedger } from '../support/ledger';

const instances = 3;

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

/** Starts several instances one after another, each on a port that it keeps. */
const startAll = async (environment: Environment): Promise<ReadonlyArray<ServiceProcess>> => {
  const started: Array<ServiceProcess> = [];
  while (started.length < instances) started.push(await startReady(environment, await freePort()));
  return started;
};

/** Replaces the instances one by one. Each stop must take less than `longestStopMs`, and the others stay ready. */
const replaceAll = async (
  running: ReadonlyArray<ServiceProcess>,
  environment: Environment,
  { pauseMs = 0, longestStopMs = Infinity } = {},
) => {
  const started: Array<ServiceProcess> = [];
  let slowestStopMs = 0;
  for (const service of running) {
    await delay(pauseMs);
    const began = performance.now();
    expect(await service.stop()).to.include({ code: 0, signal: null });
    slowestStopMs = Math.max(slowestStopMs, performance.now() - began);
    started.push(await startReady(environment, Number(new URL(service.address).port)));
    for (const { address } of running.slice(started.length)) {
      expect(await readiness(address), 'next to another build').to.match(/^200/);
    }
  }
  await delay(pauseMs);
  expect(slowestStopMs, 'milliseconds of a stop').to.be.below(longestStopMs);
  return { started, slowestStopMs: Math.round(slowestStopMs) };
};

/** Runs clients that create until `use` ends. Fails if any request fails or an animal is lost. */
const underLoad = async (
  startClients: (ledger: Ledger, isOver: () => boolean) => ReadonlyArray<Promise<void>>,
  address: string,
  use: (ledger: Ledger) => Promise<Figures>,
): Promise<Figures> => {
  const ledger = newLedger();
  let isOver = false;
  const load = Promise.all(startClients(ledger, () => isOver));
  const figures = await use(ledger);
  isOver = true;
  await load;
  expect(Object.fromEntries(ledger.failed), 'failed requests').to.deep.equal({});
  const { stored, lost, twice } = await expectStored({ address }, ledger);
  expect(stored).to.equal(ledger.acknowledged.length);
  const refused = ledger.refusedConnections;
  return {
    creates: stored,
    failed: 0,
    lost,
    twice,
    'connections refused and tried again': refused,
    ...figures,
  };
};

/** Starts clients that keep a connection, each to the next instance when its own turns it away. */
const keepingClients =
  (count: number, addresses: ReadonlyArray<string>) => (ledger: Ledger, isOver: () => boolean) =>
    Array.from({ length: count }, (_, client) => {
      let place = client;
      return createUntil({
        name: `kept ${client}`,
        ledger,
        address: () => addresses[place % instances] ?? '',
        turnAway: () => (place += 1),
        isOver,
      });
    });

const balancerIntervalMs = 100;

/** Starts clients with a connection for each request, to the instances that were ready at the last check, and the checks. */
const balancedClients =
  (count: number, addresses: ReadonlyArray<string>) => (ledger: Ledger, isOver: () => boolean) => {
    let ready = addresses;
    let turn = 0;
    const check = async (): Promise<void> => {
      while (!isOver()) {
        const answers = await Promise.all(addresses.map(isReady));
        ready = addresses.filter((_, place) => answers[place]);
        await delay(balancerIntervalMs);
      }
    };
    const next = (): string => ready[(turn += 1) % ready.length] ?? addresses[0] ?? '';
    const clients = Array.from({ length: count }, (_, client) =>
      createUntil({ name: `new ${client}`, ledger, address: next, keepsConnection: false, isOver }),
    );
    return [check(), ...clients];
  };

const stopDelayMs = 1_000;

const restart = async (databaseUrl: string): Promise<Figures> => {
  const environment = { ...environmentOf(databaseUrl), STOP_DELAY: `${stopDelayMs}` };
  const running = await startAll(environment);
  const addresses = running.map(({ address }) => address);
  const [kept, balanced] = [keepingClients(16, addresses), balancedClients(16, addresses)];
  return underLoad(
    (...load) => [...kept(...load), ...balanced(...load)],
    addresses[0] ?? '',
    async () => {
      const limits = { pauseMs: 500, longestStopMs: stopDelayMs + 2_000 };
      const { slowestStopMs } = await replaceAll(running, environment, limits);
      return { 'stop delay ms': stopDelayMs, 'slowest stop ms': slowestStopMs };
    },
  );
};

const deployAndRollBack = async (databaseUrl: string): Promise<Figures> => {
  const older = environmentOf(databaseUrl);
  const running = await startAll(older);
  const addresses = running.map(({ address }) => address);
  return underLoad(keepingClients(12, addresses), addresses[0] ?? '', async ({ acknowledged }) => {
    const { started } = await replaceAll(running, { ...older, ...otherBuild('adds') });
    const deployed = acknowledged.length;
    await replaceAll(started, older);
    expect(deployed).to.be.greaterThan(0);
    expect(acknowledged.length).to.be.greaterThan(deployed);
    return {};
  });
};

const refuseOtherGeneration = async (databaseUrl: string): Promise<Figures> => {
  const older = { ...environmentOf(databaseUrl), PORT: '0' };
  const breaking = { ...older, ...otherBuild('breaks') };
  const { address } = await startService(older);
  const tooEarly = await runCommand(['serve'], breaking);
  expect(tooEarly.code).to.equal(1);
  expect(tooEarly.stderr).to.match(/has generation 1, but this program needs 2; stop every instance/);
  expect(await readiness(address)).to.match(/^200/);

  expect((await runCommand(['migrate'], breaking)).code).to.equal(0);
  await eventually('the older is not ready', 60_000, async () =>
    /^503 .*incompatible version/.test(await readiness(address)),
  );
  const tooLate = await runCommand(['serve'], older);
  expect(tooLate.code).to.equal(1);
  expect(tooLate.stderr).to.match(
    /has generation 2, but this program needs 1; run the newer version that migrated it/,
  );
  const doctor = await runCommand(['doctor'], older);
  expect(doctor.code).to.equal(1);
  expect(doctor.stdout).to.match(/FAIL\s+migrations\s+the schema has generation 2/);
  await startService(breaking);
  return { refused: 2 };
};

describe('Instances on one PostgreSQL database', () => {
  afterEach(killServices);

  fault('fail no request during a rolling restart under load', () => inPostgresDatabase(restart));
  fault('fail no request during a deploy that adds a column, and its rollback', () =>
    inPostgresDatabase(deployAndRollBack),
  );
  fault('do not start on a schema of an incompatible version, and are not ready on it', () =>
    inPostgresDatabase(refuseOtherGeneration),
  );
});
