import { expect } from 'chai';
import { join } from 'node:path';
import { openSqlite } from '../../../adapters/knex';
import { prettyText } from '../../../app/serve/pretty-text';
import { projectFolder, startProgram } from '../../support/processes/command';
import { eventually } from '../../support/eventually';
import { createPet } from '../../support/http/pet-calls';
import { openRawConnection } from '../../support/http/raw-connection';
import { killServices, type ServiceProcess, startService } from '../../support/service/service-process';
import { newDatabaseFile, removeFolders } from '../../support/temporary-folder';

const key = 'secret-key-of-the-tests';
const keyId = /^env-[0-9a-f]{8}$/;

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
      service = await startService({ DATABASE_URL: await databaseUrl(), API_KEYS: key });
    });
    after(killServices);
    after(removeFolders);

    it('has one line for a request, with what identifies it and how it ended, and nothing more', async () => {
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

    it('has no key id and no route where there is none', async () => {
      const [refused] = await get('/v1/pets', 'wrong', { Authorization: 'Bearer another-secret' });
      expect(refused).to.include({ status: 401, route: '/v1/pets' }).and.not.have.property('keyId');
      const [unknown] = await get('/v1/nothing', 'unknown');
      expect(unknown).to.include({ status: 404, path: '/v1/nothing' }).and.not.have.property('route');
      expect(unknown?.['keyId']).to.match(keyId);
    });

    it('shows the trace of a request that has a valid traceparent', async () => {
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

    it('shows no trace of a traceparent that breaks the grammar', async () => {
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

    it('shows of an address as request target the path alone', async () => {
      const { hostname, port } = new URL(service.address);
      const connection = openRawConnection(hostname, Number(port));
      connection.send(
        'GET http://user:in-the-target@host/v1/pets?a=b HTTP/1.1\r\nHost: host\r\n' +
          'X-Request-Id: absolute\r\nConnection: close\r\n\r\n',
      );
      await connection.closed();
      expect((await linesOf(service, 'absolute'))[0]).to.include({ path: '/v1/pets', status: 401 });
    });

    it('tells of a client that left before the answer', async () => {
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

    it('never shows a key, a query, a header or a body', async () => {
      await createPet({ ...service, key }, '{"name":"in-the-body","categoryId":7}');
      await createPet({ ...service, key }, '{"name":"in-the-body","categoryId":7.5}');
      await createPet({ ...service, key }, '"in-the-body');
      await get('/v1/pets?limit=in-the-query', 'last', { 'X-Secret': 'in-a-header' });
      const { stdout, stderr } = await service.stop();
      expect(stdout + stderr).to.not.match(/secret|in-the|in-a/);
    });
  });
}

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
      [30, 'request'],
      [50, 'failure'],
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
  it('shows what would move its cursor or turn its text around, and does not do it', () => {
    const request = { level: 30, time: 0, msg: 'request', status: 404, method: 'GET' };
    const toText = prettyText();
    const shown = toText(
      JSON.stringify({ ...request, path: '/\x9b2J\x1b[2J\u202e\u2028', clientAddress: '\x85' }),
    );
    expect(shown).to.contain('GET  /\\u009b2J\\u001b[2J\\u202e\\u2028  404  \\u0085');
    expect(toText(JSON.stringify({ level: 30, time: 0, msg: 'a\x9bb' }))).to.contain('a\\u009bb');
  });

  it('is a readable line for each request', async function () {
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
        /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: GET {2}\/v1\/pets {2}200 {2}[\d.]+ ms {2}127\.0\.0\.1 {2}env-[0-9a-f]{8} {2}at-a-terminal\r$/m;
      await eventually('a readable line', 20_000, shows(line));
    } finally {
      terminal.signal('SIGTERM');
      await terminal.ended;
    }
  });
});
