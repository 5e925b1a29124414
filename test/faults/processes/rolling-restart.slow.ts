import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../support/processes/system';
import { eventually } from '../../support/eventually';
import { killServices, type ServiceProcess, startService } from '../../support/service/service-process';
import { call } from '../../support/http/client';
import { createUntil, key, newLedger } from '../support/clients/create-until';
import { fault, type Figures } from '../support/fault';
import { inPostgresDatabase } from '../../support/postgres/postgres';
import { expectStored } from '../support/checks/stored';

const instances = 3;
const clients = 32;

/** All in milliseconds. */
const stopDelay = 1_000;
const balancerInterval = 100;
const longestStop = stopDelay + 2_000;
const pause = 500;

const isReady = (address: string): Promise<boolean> =>
  call(`${address}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  );

/** The instances that said that they are ready when they were last asked, in turns. */
const balancer = (addresses: ReadonlyArray<string>, isOver: () => boolean) => {
  let ready = addresses;
  let turn = 0;
  const watch = async (): Promise<void> => {
    while (!isOver()) {
      const answers = await Promise.all(addresses.map(isReady));
      ready = addresses.filter((_, place) => answers[place]);
      await delay(balancerInterval);
    }
  };
  return { watch, next: (): string => ready[(turn += 1) % ready.length] ?? addresses[0] ?? '' };
};

const rollingRestart = async (databaseUrl: string): Promise<Figures> => {
  const start = async (port: number): Promise<ServiceProcess> => {
    const service = await startService({
      DATABASE_URL: databaseUrl,
      API_KEYS: key,
      PORT: `${port}`,
      STOP_DELAY: `${stopDelay}`,
    });
    await eventually(`${service.address} is ready`, 5_000, () => isReady(service.address));
    return service;
  };
  let isOver = false;
  const services: Array<ServiceProcess> = [];
  for (let instance = 0; instance < instances; instance += 1) services.push(await start(await freePort()));
  const addresses = services.map(({ address }) => address);
  const { watch, next } = balancer(addresses, () => isOver);
  const ledger = newLedger();

  const keep = (client: number): Promise<void> => {
    let place = client;
    return createUntil({
      name: `kept ${client}`,
      ledger,
      address: () => addresses[place % instances] ?? '',
      turnAway: () => (place += 1),
      keepsConnection: true,
      isOver: () => isOver,
    });
  };
  const openEachTime = (client: number): Promise<void> =>
    createUntil({
      name: `new ${client}`,
      ledger,
      address: next,
      turnAway: () => undefined,
      keepsConnection: false,
      isOver: () => isOver,
    });
  const load = Promise.all(
    [watch()].concat(
      Array.from({ length: clients }, (_, client) =>
        client % 2 === 0 ? keep(client) : openEachTime(client),
      ),
    ),
  );
  const stops: Array<number> = [];
  for (const service of services) {
    await delay(pause);
    const began = performance.now();
    expect(await service.stop()).to.include({ code: 0, signal: null });
    stops.push(performance.now() - began);
    await start(Number(new URL(service.address).port));
  }
  await delay(pause);
  isOver = true;
  await load;

  expect(Object.fromEntries(ledger.failed), 'failed requests').to.deep.equal({});
  expect(Math.max(...stops), 'milliseconds of a stop').to.be.below(longestStop);
  const { stored, lost, twice } = await expectStored({ address: addresses[0] ?? '', key }, ledger);
  expect(stored).to.equal(ledger.acknowledged.length);
  return {
    clients,
    'stop delay ms': stopDelay,
    'slowest stop ms': Math.round(Math.max(...stops)),
    creates: ledger.acknowledged.length,
    'connections refused and tried again': ledger.refused,
    failed: 0,
    lost,
    twice,
  };
};

describe('Promise 6: stopping loses nothing', () => {
  afterEach(killServices);

  fault(`PostgreSQL: a rolling restart of ${instances} instances under load`, () =>
    inPostgresDatabase(rollingRestart),
  );
});
