import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite } from '../../../adapters/knex';
import { readVersion } from '../../../app/commands/run';
import { prettyText } from '../../../app/serve/log';
import { projectFolder, startProgram } from '../../support/processes/command';
import { eventually } from '../../support/eventually';
import { createPet } from '../../support/http/client';
import { openRawConnection } from '../../support/http/raw-connection';
import { killServices, type ServiceProcess, startService } from '../../support/service/service-process';
import { newDatabaseFile, removeFolders } from '../../support/temporary-folder';

const key = 'secret-key-of-the-tests';
const keyId = /^env-[0-9a-f]{16}$/;

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';

type Line = Readonly<Record<string, unknown>>;

const isLine = (value: unknown): value is Line => typeof value === 'object' && value !== null;

/** The lines of one request, once there is one. */
const linesOf = async (service: ServiceProcess, requestId: string): Promise<ReadonlyArray<Line>> => {
  const lines = () =>
    service
      .stdout()
      .split('\n')
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line))
      .filter(isLine)
      .filter((line) => line['requestId'] === requestId);
  await eventually(`a log line of ${requestId}`, 20_000, () => lines().some(({ msg }) => msg === 'request'));
  return lines();
};

const stores = [
  ['in memory', () => Promise.resolve('memory:')],
  ['on SQLite', async () => `sqlite:${await newDatabaseFile()}`],
] as const;

for (const [where, databaseUrl] of stores) {
  describe(`The log of a service ${where}`, () => {
    let service: ServiceProcess;

    const get = async (path: string, requestId: string, headers: Readonly<Record<string, string>> = {}) => {
      const sent = { 'X-Request-Id': requestId, Authorization: `Bearer ${key}`, ...headers };
      await (await fetch(`${service.address}${path}`, { headers: sent })).arrayBuffer();
      return linesOf(service, requestId);
    };

    before('start the service', async () => {
      service = await startService({ DATABASE_URL: await databaseUrl(), API_KEYS: key, LOG_LEVEL: 'debug' });
    });
    after(killServices);
    after(removeFolders);

    it('has one line for a request, with its identity and result, and nothing else', async () => {
      const lines = await get('/v1/pets?limit=3&token=in-the-query', 'one');
      expect(lines).to.have.lengthOf(1);
      const [{ time, milliseconds, keyId: id, owner, ...rest } = {}] = lines;
      expect(rest).to.deep.equal({
        level: 30,
        method: 'GET',
        path: '/v1/pets',
        route: '/v1/pets',
        status: 200,
        requestId: 'one',
        clientAddress: '127.0.0.1',
        msg: 'request',
      });
      expect(time).to.be.closeTo(Date.now(), 60_000);
      expect(milliseconds).to.be.within(0, 60_000);
      expect(id).to.match(keyId);
      expect(owner, 'a key of API_KEYS is its own owner').to.equal(id);
    });

    it('has no key id and no route if there is none', async () => {
      const [refused] = await get('/v1/pets', 'wrong', { Authorization: 'Bearer another-secret' });
      expect(refused).to.include({ status: 401, route: '/v1/pets' }).and.not.have.property('keyId');
      const [unknown] = await get('/v1/nothing', 'unknown');
      expect(unknown).to.include({ status: 404, path: '/v1/nothing' }).and.not.have.property('route');
      expect(unknown?.['keyId']).to.match(keyId);
    });

    it('has the trace of a valid traceparent', async () => {
      for (const [index, traceparent] of [
        `00-${traceId}-${parentId}-01`,
        `00-${traceId}-${parentId}-00`,
        `cc-${traceId}-${parentId}-01`,
        `cc-${traceId}-${parentId}-01-what-comes-later`,
      ].entries()) {
        const [line] = await get('/livez', `traced-${index}`, { traceparent });
        expect(line, traceparent).to.include({ trace_id: traceId, parent_id: parentId });
      }
    });

    it('has no trace of an invalid traceparent', async () => {
      for (const [index, traceparent] of [
        `00-${traceId}-${parentId}-01-more`,
        `00-${traceId}-${parentId}-1`,
        `00-${traceId}-${parentId}`,
        `ff-${traceId}-${parentId}-01`,
        `cc-${traceId}-${parentId}-01more`,
        `00-${'0'.repeat(32)}-${parentId}-01`,
        `00-${traceId}-${'0'.repeat(16)}-01`,
        `00-${traceId.toUpperCase()}-${parentId}-01`,
        `00-${traceId}-${parentId}-01, 00-${traceId}-${parentId}-01`,
        'none',
      ].entries()) {
        const [line] = await get('/livez', `untraced-${index}`, { traceparent });
        expect(line, traceparent).to.not.have.any.keys('trace_id', 'parent_id');
      }
    });

    it('has only the path of an absolute request target', async () => {
      const { hostname, port } = new URL(service.address);
      const connection = openRawConnection(hostname, Number(port));
      connection.send(
        'GET http://user:in-the-target@host/v1/pets?a=b HTTP/1.1\r\nHost: host\r\n' +
          'X-Request-Id: absolute\r\nConnection: close\r\n\r\n',
      );
      await connection.closed();
      expect((await linesOf(service, 'absolute'))[0]).to.include({ path: '/v1/pets', status: 401 });
    });

    it('reports a client that left before the response', async () => {
      const { hostname, port } = new URL(service.address);
      const connection = openRawConnection(hostname, Number(port));
      connection.send(
        `POST /v1/pets HTTP/1.1\r\nHost: host\r\nX-Request-Id: left\r\nAuthorization: Bearer ${key}\r\n` +
          'Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n',
      );
      await connection.received(/100 Continue/);
      connection.reset();
      expect((await linesOf(service, 'left'))[0]).to.include({ status: 499, route: '/v1/pets' });
    });

    it('never contains a key, a query, a header or a body', async () => {
      await createPet({ ...service, key }, '{"name":"in-the-body","categoryId":7}');
      await createPet({ ...service, key }, '{"name":"in-the-body","categoryId":7.5}');
      await createPet({ ...service, key }, '"in-the-body');
      await get('/v1/pets?limit=in-the-query', 'last', { 'X-Secret': 'in-a-header' });
      const { stdout, stderr } = await service.stop();
      expect(stdout + stderr).to.not.match(/secret|in-the|in-a/);
    });
  });
}

const allLines = ({ stdout }: { readonly stdout: string }): ReadonlyArray<Line> =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
    .filter(isLine);

describe('The log of a service that starts and stops', () => {
  afterEach(killServices);
  afterEach(removeFolders);

  it('has lines for the start, the signal, the draining and the end', async () => {
    const file = await newDatabaseFile();
    const service = await startService({ DATABASE_URL: `sqlite:${file}`, API_KEYS: key, STOP_DELAY: '50' });
    const lines = allLines(await service.stop()).map(({ time: _, ...line }) => line);
    const set = ['API_KEYS=1 key', `DATABASE_URL=sqlite:${file}`, 'PORT=0', 'STOP_DELAY=50'];
    expect(lines).to.deep.equal([
      {
        level: 30,
        version: readVersion(),
        address: service.address,
        database: `sqlite:${file}`,
        settings: set,
        msg: 'started',
      },
      { level: 30, signal: 'SIGTERM', stopDelay: 50, msg: 'stopping' },
      { level: 30, msg: 'draining' },
      { level: 30, msg: 'stopped' },
    ]);
  });

  it('has the reason why the service stops without a signal', async () => {
    const file = await newDatabaseFile();
    const service = await startService({ DATABASE_URL: `sqlite:${file}`, API_KEYS: key });
    rmSync(file);
    const lines = allLines(await service.ended);
    expect(lines.map(({ level, msg }) => [level, msg])).to.deep.equal([
      [30, 'started'],
      [60, 'stopping'],
      [30, 'draining'],
      [30, 'stopped'],
    ]);
    expect(lines[1]?.['reason']).to.match(/^the database file was removed/);
  });

  it('has a line when the service becomes unready, and one when it is ready again', async () => {
    const file = await newDatabaseFile();
    const service = await startService({ DATABASE_URL: `sqlite:${file}`, API_KEYS: key });
    const { writes, close } = openSqlite(file);
    const readyz = async (status: number) => {
      await eventually(`a ${status}`, 20_000, async () => {
        const response = await fetch(`${service.address}/readyz`);
        await response.arrayBuffer();
        return response.status === status;
      });
    };
    await readyz(200);
    await writes.schema.renameTable('heartbeats', 'elsewhere');
    await readyz(503);
    await writes.schema.renameTable('elsewhere', 'heartbeats');
    await readyz(200);
    await close();
    expect(
      allLines(await service.stop()).map(({ level, msg, reason }) => [level, msg, reason]),
    ).to.deep.equal([
      [30, 'started', undefined],
      [40, 'not ready', "the database can't be written to"],
      [30, 'ready', undefined],
      [30, 'stopping', undefined],
      [30, 'draining', undefined],
      [30, 'stopped', undefined],
    ]);
  });

  it('has the lines of probes at debug, and those of database batches at trace', async () => {
    for (const [level, expected] of [
      ['info', []],
      ['debug', ['request /livez', 'request /readyz']],
      ['trace', ['request /livez', 'request /readyz', 'batch list']],
    ] as const) {
      const environment = { DATABASE_URL: `sqlite:${await newDatabaseFile()}`, API_KEYS: key };
      const service = await startService({ ...environment, LOG_LEVEL: level });
      for (const path of ['/livez', '/readyz', '/v1/pets']) {
        const headers = { Authorization: `Bearer ${key}` };
        await (await fetch(`${service.address}${path}`, { headers })).arrayBuffer();
      }
      const detailed = allLines(await service.stop()).filter((line) => Number(line['level']) < 30);
      const shown = detailed.map(({ msg, path, operation }) =>
        [msg, path, operation].filter(Boolean).join(' '),
      );
      expect(
        shown.filter((line) => /request|batch/.test(line)),
        level,
      ).to.deep.equal(expected);
    }
  });
});

describe('The log of a failure', () => {
  afterEach(killServices);
  afterEach(removeFolders);

  it('is one line, with the stack and the request id, without the values of the statement', async () => {
    const file = await newDatabaseFile();
    const service = await startService({ DATABASE_URL: `sqlite:${file}`, API_KEYS: key });
    const { writes, close } = openSqlite(file);
    await writes.schema.dropTable('pets');
    await close();
    const response = await fetch(`${service.address}/v1/pets`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'X-Request-Id': 'failed',
      },
      body: '{"name":"in-the-body","categoryId":918273645}',
    });
    expect(response.status).to.equal(503);
    const lines = await linesOf(service, 'failed');
    expect(lines.map(({ level, msg }) => [level, msg]).toSorted()).to.deep.equal([
      [50, 'failure'],
      [50, 'request'],
    ]);
    const error = lines.find(({ msg }) => msg === 'failure')?.['err'];
    expect(error).to.have.property('message').that.contains('no such table: pets');
    expect(error)
      .to.have.property('stack')
      .that.matches(/\n\s+at /);
    const { stdout } = await service.stop();
    expect(stdout).to.not.match(/in-the-body|918273645|insert into/);
  });
});

describe('The log at a terminal', () => {
  it('escapes characters that move the cursor or reverse text', () => {
    const request = { level: 30, time: 0, msg: 'request', status: 404, method: 'GET' };
    const toText = prettyText();
    const shown = toText(
      JSON.stringify({ ...request, path: '/\x9b2J\x1b[2J\u202e\u2028', clientAddress: '\x85' }),
    );
    expect(shown).to.contain('GET  /\\u009b2J\\u001b[2J\\u202e\\u2028  404  \\u0085');
    expect(toText(JSON.stringify({ level: 30, time: 0, msg: 'a\x9bb' }))).to.contain('a\\u009bb');
  });

  it('has a readable line for each request', async function () {
    if ((await startProgram('sh', ['-c', 'command -v script']).ended).code !== 0) this.skip();
    const main = join(projectFolder, 'dist', 'app', 'main.js');
    const terminal = startProgram('script', ['-qec', `exec ${process.execPath} ${main} serve`, '/dev/null'], {
      environment: { PORT: '0', DATABASE_URL: 'memory:', API_KEYS: key, NO_COLOR: '1' },
    });
    try {
      const shows = (pattern: RegExp) => () => pattern.test(terminal.stdout());
      await eventually('an address', 20_000, shows(/serves http:\S+ /));
      const address = /serves (http:\S+) /.exec(terminal.stdout())?.[1] ?? '';
      await fetch(`${address}/v1/pets?limit=3`, {
        headers: { Authorization: `Bearer ${key}`, 'X-Request-Id': 'at-a-terminal' },
      });
      const line =
        /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: GET {2}\/v1\/pets {2}200 {2}[\d.]+ ms {2}127\.0\.0\.1 {2}env-[0-9a-f]{16} {2}at-a-terminal\r$/m;
      await eventually('a readable line', 20_000, shows(line));
    } finally {
      terminal.signal('SIGTERM');
      await terminal.ended;
    }
  });
});
