import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { serverTimeouts } from '../../../core/timeouts';
import { pidOf } from '../../support/processes/system';
import { killServices, type ServiceProcess, startService } from '../../support/service/service-process';
import { inFolder } from '../../support/temporary-folder';
import { connectTo, seedLargePage, untilClosed } from '../support/clients';
import { type ClosedLoopFigures, runClosedLoop } from '../support/load';

const key = 'hostile-key';
const each = 300;

/** Interval at which slow readers start. If all started at once, some would be shed and have nothing to read. */
const readerIntervalMs = 20;

const head = (line: string, ...fields: ReadonlyArray<string>): string =>
  [line, 'Host: animals', `Authorization: Bearer ${key}`, ...fields, ''].join('\r\n');

interface Hostility {
  readonly sends: string;
  readonly drips?: string;
  readonly reads: boolean;
  readonly boundMs: number;
  readonly status?: string;
}

const hostilities: Readonly<Record<string, Hostility>> = {
  'slow heads': {
    sends: head('GET /v1/pets HTTP/1.1'),
    drips: 'X',
    reads: true,
    boundMs: 15_000,
    status: '408',
  },
  'slow bodies': {
    sends: `${head('POST /v1/pets HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 99999')}\r\n`,
    drips: '{',
    reads: true,
    boundMs: 25_000,
    status: '408',
  },
  // HTTP ignores empty lines between requests.
  // Clients whose unread responses together hold less than 64 MB are cut off only after `stallMs`.
  'slow readers': {
    sends: `${head('GET /v1/pets?limit=100 HTTP/1.1')}\r\n`,
    drips: '\r\n',
    reads: false,
    boundMs: serverTimeouts.stallMs + 10_000,
  },
  'silent from the start': { sends: '', reads: true, boundMs: 15_000 },
  'gone after a response': {
    sends: `${head('GET /livez HTTP/1.1')}\r\n`,
    reads: true,
    boundMs: 70_000,
    status: '200',
  },
};

/** Resolves when the service has closed the connection, or reset one that does not read. */
const attack = async ({ sends, drips, reads }: Hostility, address: string) => {
  const began = performance.now();
  const socket = await connectTo(address);
  let text = '';
  if (reads) socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  socket.write(sends);
  // A client that does not read learns by writing that its connection is gone.
  const drip = setInterval(() => {
    if (socket.writable && drips !== undefined) socket.write(drips);
  }, 1_000);
  await untilClosed(socket);
  clearInterval(drip);
  return { milliseconds: performance.now() - began, status: text.slice(9, 12) };
};

const watchAnother = (service: ServiceProcess, countedSeconds: number): Promise<ClosedLoopFigures> =>
  runClosedLoop({
    address: service.address,
    pid: pidOf(service),
    connections: 4,
    settleSeconds: 1,
    countedSeconds,
    requests: [{ target: '/v1/pets/0', key }],
  });

const besiege = async (folder: string): Promise<void> => {
  const service = await startService({
    DATABASE_URL: `sqlite:${folder}/animals.sqlite3`,
    API_KEYS: key,
    LOG_LEVEL: 'silent',
  });
  await seedLargePage(service.address, key);
  const p99 = ({ byStatus }: ClosedLoopFigures): number => byStatus['404']?.p99 ?? NaN;
  const before = await watchAnother(service, 5);
  const siege = Promise.all(
    Object.entries(hostilities).map(async ([name, hostility]) => {
      const ends = await Promise.all(
        Array.from({ length: each }, async (_, place) => {
          if (!hostility.reads) await delay(place * readerIntervalMs);
          return attack(hostility, service.address);
        }),
      );
      return { name, hostility, ends };
    }),
  );
  const under = await watchAnother(service, 20);
  const ended = await siege;
  const after = await watchAnother(service, 5);

  for (const { name, hostility, ends } of ended) {
    const last = Math.max(...ends.map(({ milliseconds }) => milliseconds));
    expect([...new Set(ends.map(({ status }) => status))], name).to.deep.equal([hostility.status ?? '']);
    expect(last, `milliseconds of ${name}`).to.be.below(hostility.boundMs);
  }
  const normal = Math.max(p99(before), p99(after));
  expect(Object.keys(under.byStatus), 'answers to another client').to.deep.equal(['404']);
  expect(p99(under), 'p99 of another client').to.be.below(2 * normal);
};

describe('Slow, silent and vanished clients', () => {
  afterEach(killServices);

  it('do not slow down another client, on SQLite', () => inFolder(besiege));
});
