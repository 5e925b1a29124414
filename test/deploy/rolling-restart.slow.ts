import { expect } from 'chai';
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { countFailure, create, expectStored, type Ledger, newLedger } from '../faults/support/ledger';
import { call, environmentOf, owner } from '../support/http/client';
import { killPrograms } from '../support/processes/command';
import { freePort, needsPrograms } from '../support/processes/system';
import { inPostgresDatabase } from '../support/postgres/postgres';
import { killServices, type ServiceProcess, startService } from '../support/service/service-process';
import { removeFolders } from '../support/temporary-folder';
import { proxies, type StartProxy } from './support/proxies';

const clients = 32;
const pauseMs = 500;

/** Alternates creates and reads over one connection, or a new one for each request, until told to end. */
const runClient = async (address: string, client: number, ledger: Ledger, isOver: () => boolean) => {
  const agent = new Agent({ keepAlive: client % 4 !== 0, maxSockets: 1 });
  for (let count = 0; !isOver(); count += 1) {
    const isCreate = (client + count) % 2 === 0;
    const answer = await (
      isCreate
        ? create(ledger, address, `${client}-${count}`, { agent })
        : call(`${address}/v1/pets`, { key: owner, agent })
    ).catch(String);
    const text = typeof answer === 'string' ? answer : `${answer.status} ${answer.text}`;
    if (!text.startsWith(isCreate ? '201 ' : '200 ')) countFailure(ledger, text);
  }
  agent.destroy();
};

const restartInTurn = async (databaseUrl: string, startProxy: StartProxy): Promise<void> => {
  const settings = { ...environmentOf(databaseUrl), TRUST_PROXY: '1', STOP_DELAY: '2000' };
  const start = (port: number): Promise<ServiceProcess> => startService({ ...settings, PORT: String(port) });
  const ports = [await freePort(), await freePort()] as const;
  const services = [await start(ports[0]), await start(ports[1])];
  const { address, program } = await startProxy([`127.0.0.1:${ports[0]}`, `127.0.0.1:${ports[1]}`]);

  const ledger = newLedger();
  let isOver = false;
  const load = Array.from({ length: clients }, (_, client) =>
    runClient(address, client, ledger, () => isOver),
  );
  for (const [place, port] of ports.entries()) {
    await delay(pauseMs);
    expect(await services[place]?.stop()).to.include({ code: 0, signal: null });
    services[place] = await start(port);
  }
  await delay(pauseMs);
  isOver = true;
  await Promise.all(load);

  const messages = program
    .stderr()
    .split('\n')
    .filter((line) => !line.includes('Connection refused'));
  expect(Object.fromEntries(ledger.failed), messages.join('\n').slice(0, 2_000)).to.deep.equal({});
  await expectStored({ address }, ledger);
};

describe('A rolling restart of two instances behind a shipped proxy', () => {
  needsPrograms('nginx', 'haproxy', 'openssl');
  afterEach(killPrograms);
  afterEach(killServices);
  afterEach(removeFolders);

  for (const [name, startProxy] of proxies) {
    it(`${name} fails no request under load`, () =>
      inPostgresDatabase((databaseUrl) => restartInTurn(databaseUrl, startProxy)));
  }
});
