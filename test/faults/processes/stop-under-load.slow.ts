import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually';
import { killServices, startService } from '../../support/service/service-process';
import { type Answer, call } from '../../support/http/client';
import { createUntil, key, type Ledger, newLedger } from '../support/clients/create-until';
import { fault, type Figures } from '../support/fault';
import { type SqlStore, sqlStores } from '../../support/databases/databases';
import { expectStored } from '../support/checks/stored';

const clients = 64;

/** All in milliseconds. */
const stopDelay = 2_000;
const longestStop = stopDelay + 10_000;
const atOnce = 10_000;

const environmentOf = ({ databaseUrl }: SqlStore, delayed: number) => ({
  DATABASE_URL: databaseUrl,
  API_KEYS: key,
  STOP_DELAY: `${delayed}`,
});

/** Each client goes on, over a connection that it keeps while it is told to, until none is taken any more. */
const loadUntilRefused = async (
  address: string,
  ledger: Ledger,
  onAnswer: (answer: Answer) => void,
): Promise<void> => {
  await Promise.all(
    Array.from({ length: clients }, (_, client) =>
      createUntil({
        name: `${client}`,
        ledger,
        address: () => address,
        turnAway: () => undefined,
        keepsConnection: true,
        isOver: () => ledger.refused > 0,
        onAnswer,
      }),
    ),
  );
};

const answersLogged = (stdout: string): number => stdout.match(/"method":"POST".*"status":201/g)?.length ?? 0;

const stopUnderLoad = async (store: SqlStore): Promise<Figures> => {
  const service = await startService(environmentOf(store, stopDelay));
  const ledger = newLedger();
  let isStopping = false;
  const afterwards: Array<Answer> = [];
  const load = loadUntilRefused(service.address, ledger, (answer) => {
    if (isStopping) afterwards.push(answer);
  });
  await eventually('animals are created', 20_000, () => ledger.acknowledged.length > clients);

  const began = performance.now();
  service.signal('SIGTERM');
  await eventually('it is not ready', stopDelay, async () => {
    const { status } = await call(`${service.address}/readyz`);
    return status === 503;
  });
  await delay(100);
  isStopping = true;
  const { code, stdout } = await service.ended;
  const stop = performance.now() - began;
  await load;

  expect(code).to.equal(0);
  expect(stop, 'milliseconds until the end').to.be.within(stopDelay, longestStop);
  expect(afterwards.length, 'answers while it is not ready').to.be.above(0);
  expect(new Set(afterwards.map(({ headers }) => headers.connection))).to.deep.equal(new Set(['close']));
  expect(answersLogged(stdout), 'requests that were received').to.equal(ledger.acknowledged.length);
  const again = await startService(environmentOf(store, 0));
  const { stored, lost, twice } = await expectStored({ address: again.address, key }, ledger);
  expect(stored, 'animals stored').to.equal(ledger.acknowledged.length);
  expect(
    [...ledger.failed.keys()].filter((reason) => /^[0-9]/.test(reason)),
    'answers but 201',
  ).to.deep.equal([]);
  const crossed = [...ledger.failed.values()].reduce((sum, each) => sum + each, 0);
  return {
    clients,
    answered: ledger.acknowledged.length,
    'while not ready': afterwards.length,
    'stopped after ms': Math.round(stop),
    'reset unheard': crossed,
    lost,
    twice,
  };
};

const stopAtOnce = async (store: SqlStore): Promise<Figures> => {
  const service = await startService(environmentOf(store, 60_000));
  const ledger = newLedger();
  const load = loadUntilRefused(service.address, ledger, () => undefined);
  await eventually('animals are created', 20_000, () => ledger.acknowledged.length > clients);
  service.signal('SIGTERM');
  await eventually('it is not ready', atOnce, async () => {
    const { status } = await call(`${service.address}/readyz`);
    return status === 503;
  });
  const began = performance.now();
  service.signal('SIGTERM');
  expect(await service.ended).to.include({ code: 1, signal: null });
  const stop = performance.now() - began;
  expect(stop, 'milliseconds from the second signal').to.be.below(atOnce);
  await load;
  const again = await startService(environmentOf(store, 0));
  const { lost, twice } = await expectStored({ address: again.address, key }, ledger);
  return { answered: ledger.acknowledged.length, 'ended after ms': Math.round(stop), lost, twice };
};

describe('Promise 6: stopping loses nothing', function () {
  afterEach(killServices);

  for (const { name, within } of sqlStores) {
    fault(`${name}: SIGTERM under load`, () => within(stopUnderLoad));
    fault(`${name}: a second SIGTERM under load ends it at once`, () => within(stopAtOnce));
  }
});
