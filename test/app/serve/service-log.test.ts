import { expect } from 'chai';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite } from '../../../adapters/knex';
import { eventually } from '../../support/eventually';
import { call, isRefused } from '../../support/http/client';
import { connectTo } from '../../support/http/raw-connection';
import { execute, inPostgresDatabase } from '../../support/postgres/postgres';
import { logLines } from '../../support/service/log-lines';
import { serveInProcess } from '../../support/service/serve-in-process';
import { killServices, startService } from '../../support/service/service-process';
import { builtVersion, main, runCommand, startProgram } from '../../support/processes/command';
import { makeFolder, newDatabaseFile, removeFolders } from '../../support/temporary-folder';

const key = 'secret-key-of-the-tests';

/** Serves a new SQLite file that the test opens too. */
const serveWithAccess = async () => {
  const file = await newDatabaseFile();
  const service = await serveInProcess({ DATABASE_URL: `sqlite:${file}`, API_KEYS: key });
  return { service, ...openSqlite(file) };
};

describe('The log of a service', () => {
  afterEach(killServices);
  afterEach(removeFolders);

  it('has lines for the start, the signal and the end', async () => {
    const file = await newDatabaseFile();
    const service = await startService({ DATABASE_URL: `sqlite:${file}`, API_KEYS: key, STOP_DELAY: '50' });
    const lines = logLines((await service.stop()).stdout).map(({ time: _, ...line }) => line);
    const set = ['API_KEYS=1 key', `DATABASE_URL=sqlite:${file}`, 'PORT=0', 'STOP_DELAY=50'];
    expect(lines).to.deep.equal([
      {
        level: 'info',
        version: builtVersion(),
        address: service.address,
        database: `sqlite:${file}`,
        settings: set,
        msg: 'started',
      },
      { level: 'info', signal: 'SIGTERM', stopDelayMs: 50, msg: 'stopping' },
      { level: 'info', msg: 'stopped' },
    ]);
  });

  it('has the priority of each line for the journal of systemd, and for no other file', async () => {
    for (const isJournal of [true, false]) {
      const file = join(await makeFolder(), 'log');
      writeFileSync(file, '');
      const { dev, ino } = statSync(file);
      const environment = {
        DATABASE_URL: `sqlite:${await newDatabaseFile()}`,
        JOURNAL_STREAM: isJournal ? `${dev}:${ino}` : `${dev}:1`,
        NODE_ENV: 'production',
        LOG_LEVEL: 'debug',
        API_KEYS: 'a',
      };
      await runCommand(['migrate'], environment);
      const words = ['-c', 'exec "$@" >>"$0" 2>&1', file, process.execPath, main, 'serve'];
      const service = startProgram('sh', words, { environment: { ...environment, PORT: '0' } });
      const log = () => readFileSync(file, 'utf8');
      await eventually('it serves', 20_000, () => log().includes('"started"'));
      service.signal('SIGTERM');
      await service.ended;
      const lines = log().trimEnd().split('\n');
      expect(lines.map((line) => /^(?:<\d>)?/.exec(line)?.[0])).to.deep.equal(
        lines.map((line) => (isJournal ? (line.includes('"warn"') ? '<4>' : '<6>') : '')),
      );
      expect(lines.join()).to.include('"warn"').and.include('"stopped"');
    }
  });

  it('has the reason why the service stops without a signal', async () => {
    const file = await newDatabaseFile();
    const settings = { DATABASE_URL: `sqlite:${file}`, API_KEYS: key, STOP_DELAY: '60000' };
    const service = await serveInProcess(settings);
    rmSync(file);
    const lines = () => logLines(service.stdout());
    await eventually('it stops', 20_000, () => lines().at(-1)?.['msg'] === 'stopping');
    expect(lines().map(({ level, msg }) => [level, msg])).to.deep.equal([
      ['info', 'started'],
      ['fatal', 'stopping'],
    ]);
    expect(lines()[1]?.['reason']).to.match(/^the database file or its log was removed/);
    await eventually('it reads no more from the deleted file', 20_000, () => isRefused(service.address));
  });

  it('has one line for 20 connections above MAX_CONNECTIONS', async () => {
    const service = await serveInProcess({ MAX_CONNECTIONS: '1' });
    const held = connectTo(service.address);
    held.send('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n');
    await held.received(/live/);
    for (let count = 0; count < 20; count += 1) await connectTo(service.address).closed();
    const lines = logLines((await service.stop()).stdout);
    expect(lines.filter(({ msg }) => String(msg).includes('connections are refused'))).to.have.lengthOf(1);
  });

  it('has a line when the service becomes unready, and one when it is ready again', async () => {
    const { service, writePool, close } = await serveWithAccess();
    const readyz = async (status: number) => {
      const url = `${service.address}/readyz`;
      await eventually(`a ${status}`, 20_000, async () => (await call(url)).status === status);
    };
    await readyz(200);
    await writePool.schema.renameTable('heartbeats', 'elsewhere');
    await readyz(503);
    await writePool.schema.renameTable('elsewhere', 'heartbeats');
    await readyz(200);
    await close();
    expect(
      logLines((await service.stop()).stdout).map(({ level, msg, reason }) => [level, msg, reason]),
    ).to.deep.equal([
      ['info', 'started', undefined],
      ['warn', 'not ready', 'the database lacks tables or columns; run `animal-store doctor`'],
      ['info', 'ready', undefined],
      ['info', 'stopping', undefined],
      ['info', 'stopped', undefined],
    ]);
  });

  it('has requests to health checks at the level debug', async () => {
    for (const level of ['info', 'debug']) {
      const service = await serveInProcess({ API_KEYS: key, LOG_LEVEL: level });
      for (const path of ['/livez', '/readyz', '/v1/pets']) await call(`${service.address}${path}`, { key });
      const logged = logLines((await service.stop()).stdout).filter(({ msg }) => msg === 'request');
      expect(logged.map(({ path }) => path)).to.deep.equal(
        level === 'debug' ? ['/livez', '/readyz', '/v1/pets'] : ['/v1/pets'],
      );
    }
  });

  it('has a failure in one line, with its stack and request id, without the values of the statement', async () => {
    const { service, writePool, close } = await serveWithAccess();
    await writePool.schema.dropTable('pets');
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
      ['error', 'request'],
      ['error', 'request failed'],
    ]);
    const error = lines.find(({ msg }) => msg === 'request failed')?.['err'];
    expect(error).to.have.property('message').that.contains('no such table: pets');
    expect(error)
      .to.have.property('stack')
      .that.matches(/\n\s+at /);
    expect(stdout).to.not.match(/in-the-body|918273645|insert into/);
  });
});

describe('The log of a failure', () => {
  afterEach(killServices);
  afterEach(removeFolders);

  it('has the cause of an outage once a second, 20 failed requests a second, and counts the others', async () => {
    const { service, writePool, close } = await serveWithAccess();
    await writePool.schema.dropTable('pets');
    await close();
    const began = performance.now();
    let sent = 0;
    const burst = async () => {
      await Promise.all(Array.from({ length: 50 }, () => call(`${service.address}/v1/pets/1`, { key })));
      sent += 50;
    };
    const linesOf = (message: string) => logLines(service.stdout()).filter(({ msg }) => msg === message);
    await burst();
    await eventually('both are logged again', 20_000, async () => {
      await burst();
      return linesOf('request failed').length > 1 && linesOf('requests not logged').length > 0;
    });
    const seconds = (performance.now() - began) / 1_000;
    await service.stop();
    expect(linesOf('request failed').length).to.be.within(2, seconds + 2);
    const logged = linesOf('request').length;
    expect(logged).to.be.within(20, 20 * (seconds + 2));
    const counts = linesOf('requests not logged').map(({ notLogged }) => Number(notLogged));
    expect(counts.reduce((sum, count) => sum + count, logged)).to.equal(sent);
  });

  it('has the advice of doctor, as for SQLITE_FULL to free space', async () => {
    const { service, writePool, close } = await serveWithAccess();
    // Once the largest id is used, SQLite fails with SQLITE_FULL, as on a full disk.
    await writePool('pets').insert({ id: '9223372036854775807', name: 'last', category_id: 1 });
    await close();
    const body = '{"name":"Rex","categoryId":1}';
    expect((await call(`${service.address}/v1/pets`, { method: 'POST', key, body })).status).to.equal(503);
    const failed = logLines((await service.stop()).stdout).find(({ msg }) => msg === 'request failed');
    expect(failed?.['advice']).to.equal(
      'free space on the disk of the database; if it has space, run `animal-store doctor`',
    );
  });
});

describe('The log of a create on PostgreSQL whose id is taken', () => {
  it('has the statement that sets the sequence', () =>
    inPostgresDatabase(async (url) => {
      const service = await serveInProcess({ DATABASE_URL: url, API_KEYS: key });
      await execute(
        url,
        "insert into pets (id, name, category_id) select n, 'restored', 1 from generate_series(1, 30) as n",
      );
      const body = '{"name":"Rex","categoryId":1}';
      expect((await call(`${service.address}/v1/pets`, { method: 'POST', key, body })).status).to.equal(503);
      const failed = logLines((await service.stop()).stdout).find(({ msg }) => msg === 'request failed');
      expect(failed?.['advice']).to.match(
        /^run as the owner of the tables: select setval\('pets_id_seq', \(select max\(id\) from \(select id from pets union all select pet_id from/,
      );
    }));
});
