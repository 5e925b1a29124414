import { expect } from 'chai';
import { freePort } from '../../support/processes/system';
import { eventually } from '../../support/eventually';
import { runCommand } from '../../support/processes/command';
import { killServices, type ServiceProcess, startService } from '../../support/service/service-process';
import { call } from '../../support/http/client';
import { createUntil, key, newLedger } from '../support/clients/create-until';
import { fault, type Figures } from '../support/fault';
import { inPostgresDatabase } from '../../support/postgres/postgres';
import { otherBuild } from '../support/databases/other-build';
import { expectStored } from '../support/checks/stored';

const instances = 3;
const clients = 12;

/** In milliseconds. */
const bound = 60_000;

type Build = Readonly<Record<string, string>>;

const older: Build = {};
const adds: Build = otherBuild('adds');
const breaks: Build = otherBuild('breaks');

const readiness = ({ address }: { readonly address: string }): Promise<string> =>
  call(`${address}/readyz`).then(
    ({ status, text }) => `${status} ${text}`,
    (error: unknown) => String(error),
  );

const startOn = (databaseUrl: string, build: Build, port = 0): Promise<ServiceProcess> =>
  startService({ DATABASE_URL: databaseUrl, API_KEYS: key, PORT: `${port}`, LOG_LEVEL: 'silent', ...build });

/** Replaces the instances one by one, each once the one before is ready. */
const deploy = async (
  databaseUrl: string,
  running: ReadonlyArray<ServiceProcess>,
  build: Build,
): Promise<ReadonlyArray<ServiceProcess>> => {
  const started: Array<ServiceProcess> = [];
  for (const service of running) {
    expect(await service.stop()).to.include({ code: 0 });
    const next = await startOn(databaseUrl, build, Number(new URL(service.address).port));
    await eventually('it is ready', bound, async () => (await readiness(next)).startsWith('200'));
    started.push(next);
    for (const other of running.slice(started.length)) {
      expect(await readiness(other), 'beside another build').to.match(/^200/);
    }
  }
  return started;
};

const rollForwardsAndBack = async (databaseUrl: string): Promise<Figures> => {
  let running: ReadonlyArray<ServiceProcess> = [];
  for (let instance = 0; instance < instances; instance += 1) {
    running = [...running, await startOn(databaseUrl, older, await freePort())];
  }
  const addresses = running.map(({ address }) => address);
  let isOver = false;
  const ledger = newLedger();
  const load = Promise.all(
    Array.from({ length: clients }, (_, client) => {
      let place = client;
      return createUntil({
        name: `client ${client}`,
        ledger,
        address: () => addresses[place % instances] ?? '',
        turnAway: () => (place += 1),
        keepsConnection: true,
        isOver: () => isOver,
      });
    }),
  );
  running = await deploy(databaseUrl, running, adds);
  const forwards = ledger.acknowledged.length;
  await deploy(databaseUrl, running, older);
  isOver = true;
  await load;
  expect(Object.fromEntries(ledger.failed), 'failed requests').to.deep.equal({});
  expect(forwards).to.be.greaterThan(0);
  expect(ledger.acknowledged.length).to.be.greaterThan(forwards);
  const { lost, twice } = await expectStored({ address: addresses[0] ?? '', key }, ledger);
  return { clients, creates: ledger.acknowledged.length, failed: 0, lost, twice };
};

const refuseToMeet = async (databaseUrl: string): Promise<Figures> => {
  const service = await startOn(databaseUrl, older);
  const tooEarly = await runCommand(['serve'], { DATABASE_URL: databaseUrl, PORT: '0', ...breaks });
  expect(tooEarly.code).to.equal(1);
  expect(tooEarly.stderr).to.match(/has generation 1, but this program needs 2: stop every instance/);
  expect(await readiness(service)).to.match(/^200/);

  expect((await runCommand(['migrate'], { DATABASE_URL: databaseUrl, ...breaks })).code).to.equal(0);
  await eventually('the older is not ready', bound, async () =>
    /^503 .*another generation/.test(await readiness(service)),
  );
  const tooLate = await runCommand(['serve'], { DATABASE_URL: databaseUrl, PORT: '0' });
  expect(tooLate.code).to.equal(1);
  expect(tooLate.stderr).to.match(
    /has generation 2, but this program needs 1: run the version that created it/,
  );
  const doctor = await runCommand(['doctor'], { DATABASE_URL: databaseUrl, PORT: '0' });
  expect(doctor.code).to.equal(1);
  expect(doctor.stdout).to.match(/FAIL\s+migrations\s+its schema has generation 2/);
  await startOn(databaseUrl, breaks);
  return { refused: 2 };
};

describe('Two builds on one PostgreSQL database', () => {
  afterEach(killServices);

  fault('a rolling deploy under load, forwards to one that adds a column and back', () =>
    inPostgresDatabase(rollForwardsAndBack),
  );

  fault(
    'a build that breaks the other waits to be told; then the other is not ready and does not start',
    () => inPostgresDatabase(refuseToMeet),
  );
});
