import { expect } from 'chai';
import { call, environmentOf, listPets, newPet, owner } from '../../support/http/client';
import { fault } from '../support/fault';
import { sqlStores } from '../../support/databases/databases';
import { eventually } from '../../support/eventually';
import { openRawConnection } from '../../support/http/raw-connection';
import { readMetrics } from '../../support/service/read-metrics';
import { killServices, type ServiceProcess, startService } from '../../support/service/service-process';

const connections = 5;
const pipelined = 4;

/** In milliseconds. */
const bound = 20_000;

const create = (name: string): string => {
  const body = newPet(name);
  return [
    'POST /v1/pets HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${owner}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
};

const inFlight = async (service: ServiceProcess): Promise<number> => {
  const samples = await readMetrics(service);
  return [...samples]
    .filter(([name]) => name.startsWith('http_server_active_requests'))
    .reduce((sum, [, value]) => sum + value, 0);
};

/** A service sees what comes in its order: who is answered after it was sent knows that it was seen. */
const seenBy = async (address: string): Promise<void> => {
  // Once for connections, once for what comes on them.
  await call(`${address}/livez`);
  await call(`${address}/livez`);
};

describe('Promise 7: who leaves takes his requests with him', () => {
  afterEach(killServices);

  for (const { name, within } of sqlStores) {
    fault(`clients that leave while their pipelined requests wait for a lock, on ${name}`, () =>
      within(async ({ databaseUrl, holdWriters }) => {
        const all = connections * pipelined;
        const service = await startService({
          ...environmentOf(databaseUrl),
          LOG_LEVEL: 'info',
          MAX_IN_FLIGHT: String(all),
          ADMIN_PORT: '0',
        });
        const { address } = service;
        const { hostname, port } = new URL(address);
        const release = await holdWriters();
        const opened = Array.from({ length: connections }, (_, place) => {
          const connection = openRawConnection(hostname, Number(port));
          connection.send(create(`animal ${place}`).repeat(pipelined));
          return connection;
        });
        await seenBy(address);
        for (const connection of opened) connection.reset();
        await seenBy(address);
        await release();
        await eventually('none is in flight', bound, async () => (await inFlight(service)) === 0);
        const answers = await Promise.all(
          Array.from({ length: all }, () => listPets({ address, key: owner })),
        );
        expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
        const { stdout } = await service.stop();
        const left = stdout.split('\n').filter((line) => line.includes('"method":"POST"'));
        expect(left, 'log lines, one for each request that was begun').to.have.length(connections);
        return { abandoned: all, begun: connections, 'answered after that': answers.length };
      }),
    );
  }
});
