import { expect } from 'chai';
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expectStored } from '../faults/support/ledger';
import { fault } from '../faults/support/fault';
import { call } from '../support/http/client';
import { killPrograms } from '../support/processes/command';
import { freePort, needsPrograms } from '../support/processes/system';
import { inPostgresDatabase } from '../support/postgres/postgres';
import { killServices, type ServiceProcess, startService } from '../support/service/service-process';
import { removeFolders } from '../support/temporary-folder';
import { proxies, type StartProxy } from './support/proxies';

const key = 'a-key-of-this-test-that-is-long-enough';
const clients = 32;
const pauseMs = 500;

interface Ledger {
  readonly sent: Set<string>;
  readonly acknowledged: Array<string>;
  readonly failed: Map<string, number>;
  requests: number;
}

/** Alternates creates and reads over one connection, or a new one for each request, until told to end. */
const runClient = async (address: string, client: number, ledger: Ledger, isOver: () => boolean) => {
  const agent = new Agent({ keepAlive: client % 4 !== 0, maxSockets: 1 });
  for (let count = 0; !isOver(); count += 1) {
    const name = `${client}-${count}`;
    const isCreate = (client + count) % 2 === 0;
    if (isCreate) ledger.sent.add(name);
    const body = isCreate ? { method: 'POST' as const, body: `{"name":"${name}","categoryId":7}` } : {};
    const answer = await call(`${address}/v1/pets`, { key, agent, ...body }).catch(String);
    ledger.requests += 1;
    if (typeof answer !== 'string' && answer.status === (isCreate ? 201 : 200)) {
      if (isCreate) ledger.acknowledged.push(answer.text);
      continue;
    }
    const reason = `${isCreate ? 'create' : 'read'} ${typeof answer === 'string' ? answer : answer.text}`;
    ledger.failed.set(reason, (ledger.failed.get(reason) ?? 0) + 1);
  }
  agent.destroy();
};

const restartInTurn = async (databaseUrl: string, startProxy: StartProxy) => {
  const settings = { DATABASE_URL: databaseUrl, API_KEYS: key, TRUST_PROXY: '1', STOP_DELAY: '2000' };
  const start = (port: number): Promise<ServiceProcess> =>
    startService({ ...settings, LOG_LEVEL: 'silent', PORT: String(port) });
  const ports = [await freePort(), await freePort()] as const;
  const services = [await start(ports[0]), await start(ports[1])];
  const { address, program } = await startProxy([`127.0.0.1:${ports[0]}`, `127.0.0.1:${ports[1]}`]);

  const ledger: Ledger = { sent: new Set(), acknowledged: [], failed: new Map(), requests: 0 };
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

  const failed = Object.fromEntries(ledger.failed);
  const unexpected = program
    .stderr()
    .split('\n')
    .filter((line) => !line.includes('Connection refused'));
  expect(failed, `${ledger.requests} requests; ${unexpected.join('\n').slice(0, 2_000)}`).to.deep.equal({});
  const { lost, twice } = await expectStored({ address, key }, ledger);
  return { requests: ledger.requests, creates: ledger.acknowledged.length, failed: 0, lost, twice };
};

describe('A rolling restart of two instances behind a shipped proxy', () => {
  needsPrograms('nginx', 'haproxy', 'openssl');
  afterEach(killPrograms);
  afterEach(killServices);
  afterEach(removeFolders);

  for (const [name, startProxy] of proxies) {
    fault(`${name} fails no request under load`, () =>
      inPostgresDatabase((databaseUrl) => restartInTurn(databaseUrl, startProxy)),
    );
  }
});
