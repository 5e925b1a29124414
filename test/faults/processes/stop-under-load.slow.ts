import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { type SqlStore, sqlStores } from '../../support/databases/databases';
import { eventually } from '../../support/eventually';
import { type Answer, call, environmentOf } from '../../support/http/client';
import { freePort } from '../../support/processes/system';
import { killServices, startService } from '../../support/service/service-process';
import { expectStored, newLedger, useUntilOver } from '../support/ledger';

const clients = 64;

/** Delay of the stop, long enough for 64 clients to get responses on a busy machine. */
const stopDelayMs = 5_000;
const longestStopMs = stopDelayMs + 10_000;

const start = ({ databaseUrl }: SqlStore, delayMs: number) =>
  startService({ ...environmentOf(databaseUrl), LOG_LEVEL: 'info', STOP_DELAY: `${delayMs}` });

/**
 * Starts clients that keep their connection and use the service until a connection is refused. Resolves once animals
 * are created.
 */
const startLoad = async (address: string, onAnswer: (answer: Answer, client: number) => void) => {
  const ledger = newLedger();
  const isOver = (): boolean => ledger.refusedConnections > 0;
  const load = Promise.all(
    Array.from({ length: clients }, (_, client) =>
      useUntilOver({
        name: `${client}`,
        ledger,
        address: () => address,
        isOver,
        onAnswer: (answer) => {
          onAnswer(answer, client);
        },
      }),
    ),
  );
  await eventually('animals are created', 20_000, () => ledger.acknowledged.length > clients);
  return { ledger, load };
};

const answersLogged = (stdout: string): number => stdout.match(/"method":"POST".*"status":201/g)?.length ?? 0;

const stopUnderLoad = async (store: SqlStore): Promise<void> => {
  const service = await start(store, stopDelayMs);
  let isStopping = false;
  const afterwards: Array<Answer> = [];
  const lastConnections: Array<string | undefined> = [];
  const { ledger, load } = await startLoad(service.address, (answer, client) => {
    lastConnections[client] = answer.headers.connection;
    if (isStopping) afterwards.push(answer);
  });

  const began = performance.now();
  service.signal('SIGTERM');
  await eventually(
    'it is not ready',
    stopDelayMs,
    async () => (await call(`${service.address}/readyz`)).status === 503,
  );
  await delay(100);
  isStopping = true;
  const { code, stdout } = await service.ended;
  const stop = performance.now() - began;
  await load;

  expect(code).to.equal(0);
  expect(stop, 'milliseconds until the end').to.be.within(stopDelayMs, longestStopMs);
  expect(afterwards.length, 'answers while it is not ready').to.be.above(0);
  const connections = afterwards.map(({ headers }) => headers.connection);
  expect(connections.slice(0, clients), 'answers in the delay').not.to.include('close');
  expect(lastConnections, 'the last answer to each client').to.deep.equal(Array(clients).fill('close'));
  expect(answersLogged(stdout), 'requests that were received').to.equal(ledger.acknowledged.length);
  const stored = await expectStored(await start(store, 0), ledger);
  expect(stored, 'animals stored').to.equal(ledger.acknowledged.length);
  expect(Object.fromEntries(ledger.failed), 'answers but 201, and resets').to.deep.equal({});
};

/** Stops a service repeatedly, while each request of 200 clients opens a connection. */
const stopWhileClientsConnect = async (): Promise<void> => {
  const port = `${await freePort()}`;
  const ledger = newLedger();
  let isOver = false;
  const load = Promise.all(
    Array.from({ length: 200 }, (_, client) =>
      useUntilOver({
        name: `${client}`,
        ledger,
        address: () => `http://127.0.0.1:${port}`,
        keepAlive: false,
        isOver: () => isOver,
      }),
    ),
  );
  for (let stops = 0; stops < 10; stops += 1) {
    const service = await startService({ ...environmentOf('memory:'), STOP_DELAY: '300', PORT: port });
    const before = ledger.acknowledged.length;
    await eventually('animals are created', 20_000, () => ledger.acknowledged.length > before);
    expect(await service.stop()).to.include({ code: 0 });
  }
  isOver = true;
  await load;
  expect(Object.fromEntries(ledger.failed), 'other answers, and resets').to.deep.equal({});
};

describe('A service that stops under load', function () {
  afterEach(killServices);

  it('resets no connection, even if clients connect until its end', stopWhileClientsConnect);

  for (const { name, within } of sqlStores) {
    it(`loses nothing after SIGTERM, on ${name}`, () => within(stopUnderLoad));
  }
});
