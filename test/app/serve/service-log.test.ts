import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { openSqlite } from '../../../adapters/knex';
import { readVersion } from '../../../app/commands/run';
import { prettyText } from '../../../app/serve/log';
import { main, startProgram } from '../../support/processes/command';
import { eventually } from '../../support/eventually';
import { call } from '../../support/http/client';
import { logLines } from '../../support/service/log-lines';
import { killServices, startService } from '../../support/service/service-process';
import { newDatabaseFile, removeFolders } from '../../support/temporary-folder';

const key = 'secret-key-of-the-tests';

describe('The log of a service that starts and stops', () => {
  afterEach(killServices);
  afterEach(removeFolders);

  it('has lines for the start, the signal, the draining and the end', async () => {
    const file = await newDatabaseFile();
    const service = await startService({ DATABASE_URL: `sqlite:${file}`, API_KEYS: key, STOP_DELAY: '50' });
    const lines = logLines((await service.stop()).stdout).map(({ time: _, ...line }) => line);
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
    const lines = logLines((await service.ended).stdout);
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
      const url = `${service.address}/readyz`;
      await eventually(`a ${status}`, 20_000, async () => (await call(url)).status === status);
    };
    await readyz(200);
    await writes.schema.renameTable('heartbeats', 'elsewhere');
    await readyz(503);
    await writes.schema.renameTable('elsewhere', 'heartbeats');
    await readyz(200);
    await close();
    expect(
      logLines((await service.stop()).stdout).map(({ level, msg, reason }) => [level, msg, reason]),
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
    const shownAt = async (level: string): Promise<ReadonlyArray<string>> => {
      const environment = { DATABASE_URL: `sqlite:${await newDatabaseFile()}`, API_KEYS: key };
      const service = await startService({ ...environment, LOG_LEVEL: level });
      for (const path of ['/livez', '/readyz', '/v1/pets']) {
        await call(`${service.address}${path}`, { key });
      }
      const detailed = logLines((await service.stop()).stdout).filter((line) => Number(line['level']) < 30);
      const shown = detailed.map(({ msg, path, operation }) =>
        [msg, path, operation].filter(Boolean).join(' '),
      );
      return shown.filter((line) => /request|batch/.test(line));
    };
    expect(await Promise.all(['info', 'debug', 'trace'].map(shownAt))).to.deep.equal([
      [],
      ['request /livez', 'request /readyz'],
      ['request /livez', 'request /readyz', 'batch list'],
    ]);
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
    const { status } = await call(`${service.address}/v1/pets`, {
      method: 'POST',
      key,
      headers: { 'X-Request-Id': 'failed' },
      body: '{"name":"in-the-body","categoryId":918273645}',
    });
    expect(status).to.equal(503);
    const { stdout } = await service.stop();
    const lines = logLines(stdout).filter(({ requestId }) => requestId === 'failed');
    expect(lines.map(({ level, msg }) => [level, msg]).toSorted()).to.deep.equal([
      [50, 'request'],
      [50, 'request failed'],
    ]);
    const error = lines.find(({ msg }) => msg === 'request failed')?.['err'];
    expect(error).to.have.property('message').that.contains('no such table: pets');
    expect(error)
      .to.have.property('stack')
      .that.matches(/\n\s+at /);
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
    const terminal = startProgram('script', ['-qec', `exec ${process.execPath} ${main} serve`, '/dev/null'], {
      environment: { PORT: '0', DATABASE_URL: 'memory:', API_KEYS: key, NO_COLOR: '1' },
    });
    try {
      const shows = (pattern: RegExp) => () => pattern.test(terminal.stdout());
      await eventually('an address', 20_000, shows(/serves http:\S+ /));
      const address = /serves (http:\S+) /.exec(terminal.stdout())?.[1] ?? '';
      await call(`${address}/v1/pets?limit=3`, { key, headers: { 'X-Request-Id': 'at-a-terminal' } });
      const line =
        /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: GET {2}\/v1\/pets {2}200 {2}[\d.]+ ms {2}127\.0\.0\.1 {2}env-[0-9a-f]{16} {2}at-a-terminal\r$/m;
      await eventually('a readable line', 20_000, shows(line));
    } finally {
      terminal.signal('SIGTERM');
      await terminal.ended;
    }
  });
});
