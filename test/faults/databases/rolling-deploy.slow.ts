import { expect } from 'chai';
import { eventually } from '../../support/eventually';
import { call, environmentOf } from '../../support/http/client';
import { inPostgresDatabase } from '../../support/postgres/postgres';
import { type Environment, runCommand } from '../../support/processes/command';
import { freePort } from '../../support/processes/system';
import { killServices, type ServiceProcess, startService } from '../../support/service/service-process';
import { otherBuild } from '../support/builds';
import { createUntil, expectStored, newLedger } from '../support/ledger';

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

const stopDelayMs = 1_000;
const longestStopMs = stopDelayMs + 2_000;

/** Replaces the instances one by one, while the others stay ready. */
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

const deployAndRollBack = async (databaseUrl: string): Promise<void> => {
  const older = { ...environmentOf(databaseUrl), STOP_DELAY: `${stopDelayMs}` };
  const running = await startAll(older);
  const addresses = running.map(({ address }) => address);
  const ledger = newLedger();
  let isOver = false;
  // Each client keeps a connection, to the next instance when its own turns it away.
  const load = Promise.all(
    Array.from({ length: clients }, (_, client) => {
      let place = client;
      return createUntil({
        name: `${client}`,
        ledger,
        address: () => addresses[place % instances] ?? '',
        turnAway: () => (place += 1),
        isOver: () => isOver,
      });
    }),
  );
  const started = await replaceAll(running, { ...older, ...otherBuild('adds') });
  const deployed = ledger.acknowledged.length;
  await replaceAll(started, older);
  expect(deployed).to.be.greaterThan(0);
  expect(ledger.acknowledged.length).to.be.greaterThan(deployed);
  isOver = true;
  await load;
  expect(Object.fromEntries(ledger.failed), 'failed requests').to.deep.equal({});
  const stored = await expectStored({ address: addresses[0] ?? '' }, ledger);
  expect(stored).to.equal(ledger.acknowledged.length);
};

const refuseOtherGeneration = async (databaseUrl: string): Promise<void> => {
  const older = { ...environmentOf(databaseUrl), PORT: '0' };
  const breaking = { ...older, ...otherBuild('breaks') };
  const { address } = await startService(older);
  const tooEarly = await runCommand(['serve'], breaking);
  expect(tooEarly.code).to.equal(1);
  expect(tooEarly.stderr).to.match(/schema generation 1; this version works with 2\); stop every instance/);
  expect(await readiness(address)).to.match(/^200/);

  expect((await runCommand(['migrate'], breaking)).code).to.equal(0);
  await eventually('the older is not ready', 60_000, async () =>
    /^503 .*incompatible version/.test(await readiness(address)),
  );
  const tooLate = await runCommand(['serve'], older);
  expect(tooLate.code).to.equal(1);
  expect(tooLate.stderr).to.match(/schema generation 2; this version works with 1\); run that version/);
  const doctor = await runCommand(['doctor'], older);
  expect(doctor.code).to.equal(1);
  expect(doctor.stdout).to.match(
    /FAIL\s+migrations\s+a newer version of animal-store has migrated the database \(schema generation 2;/,
  );
  await startService(breaking);
};

describe('Instances on one PostgreSQL database', () => {
  afterEach(killServices);

  it('fail no request during a deploy that adds a column, and its rollback', () =>
    inPostgresDatabase(deployAndRollBack));
  it('do not start on a schema of an incompatible version, and are not ready on it', () =>
    inPostgresDatabase(refuseOtherGeneration));
});
