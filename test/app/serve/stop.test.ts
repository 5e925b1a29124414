import { expect } from 'chai';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import {
  type Environment,
  killPrograms,
  main,
  type Outcome,
  startProgram,
} from '../../support/processes/command';
import { startAtTerminal } from '../../support/processes/terminal';
import { eventually } from '../../support/eventually';
import { call, createPet, holdCreate, isRefused, keepAliveAgent } from '../../support/http/client';
import { connectTo } from '../../support/http/raw-connection';
import { columnOf, hasWriteAheadLog, integrityOf } from '../../support/databases/sqlite-files';
import { logLines } from '../../support/service/log-lines';
import { serveInProcess } from '../../support/service/serve-in-process';
import { killServices, startService, whenServing } from '../../support/service/service-process';
import { makeFolder, newDatabaseFile, removeFolders } from '../../support/temporary-folder';

const key = 'stop-key';
const clients = 50;

/** Maximum time of an immediate stop: half of the time that the service gives a request that does not end. */
const atOnce = 5_000;

const newPet = (name: string): string => `{"name":"${name}","categoryId":9007199254740993}`;

const within = async (bound: number, ended: Promise<Outcome>): Promise<Outcome> => {
  const began = performance.now();
  const outcome = await ended;
  expect(performance.now() - began, 'milliseconds until the end').to.be.below(bound);
  return outcome;
};

const newStore = async () => {
  const file = await newDatabaseFile();
  return { file, environment: { DATABASE_URL: `sqlite:${file}`, API_KEYS: key } };
};

const start = async () => {
  const { file, environment } = await newStore();
  return { file, service: await startService(environment) };
};

const stopsListening = (address: string): Promise<void> =>
  eventually(`${address} takes no more connections`, atOnce, () => isRefused(address));

const statusesLogged = (stdout: string): ReadonlyArray<unknown> =>
  logLines(stdout)
    .filter(({ msg }) => msg === 'request')
    .map(({ status }) => status);

describe('A service that is told to stop', () => {
  afterEach(killServices);
  afterEach(killPrograms);
  afterEach(removeFolders);

  it(`answers ${clients} creates whose bodies are still arriving, and exits with 0`, async () => {
    const { file, service } = await start();
    const agent = keepAliveAgent();
    const names = Array.from({ length: clients }, (_, client) => `slow ${client}`);
    const held = await Promise.all(names.map((name) => holdCreate({ ...service, key }, newPet(name), agent)));
    service.signal('SIGTERM');
    await stopsListening(service.address);
    for (const { sendRest } of held) sendRest();

    const answers = await Promise.all(held.map(({ answer }) => answer));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([201]));
    expect(new Set(answers.map(({ headers }) => headers.connection))).to.deep.equal(new Set(['close']));
    const outcome = await within(atOnce, service.ended);
    expect(outcome).to.include({ code: 0, signal: null });
    expect(statusesLogged(outcome.stdout), 'one line a request').to.deep.equal(names.map(() => 201));
    expect(hasWriteAheadLog(file)).to.equal(false);
    expect(await columnOf(file, 'pets', 'name')).to.have.members(names);
  });

  it('still serves new connections during STOP_DELAY', async () => {
    const service = await startService({ DATABASE_URL: 'memory:', API_KEYS: key, STOP_DELAY: '60000' });
    service.signal('SIGTERM');
    await eventually('it is not ready', atOnce, async () => {
      const { status } = await call(`${service.address}/readyz`);
      return status === 503;
    });
    expect((await call(`${service.address}/v1/pets`, { key })).status).to.equal(200);
  });

  it('does not wait for idle connections, whether kept alive or silent', async () => {
    const service = await serveInProcess();
    const agent = keepAliveAgent();
    const answers = Array.from({ length: 20 }, () => call(`${service.address}/livez`, { agent }));
    for (const { headers } of await Promise.all(answers)) expect(headers.connection).to.equal('keep-alive');
    const silent = connect(Number(new URL(service.address).port), '127.0.0.1');
    silent.on('error', () => undefined);
    await once(silent, 'connect');
    await call(`${service.address}/livez`, { agent });

    expect(await within(atOnce, service.stop())).to.include({ code: 0 });
  });

  it('does not wait for a request to the port for operators that never ends', async () => {
    const service = await serveInProcess({ ADMIN_PORT: '0' });
    const connection = connectTo(await service.adminAddress());
    connection.send('GET /metrics HTTP/1.1\r\nHost: store\r\n\r\nGET /metrics');
    await connection.received(/animal_store_ready/);

    expect(await within(atOnce, service.stop())).to.include({ code: 0 });
  });

  it('takes a signal that is repeated at once for the same, as npm repeats that of a terminal', async () => {
    const { file, service } = await start();
    const { answer, sendRest } = await holdCreate({ ...service, key }, newPet('slow'), keepAliveAgent());
    service.signal('SIGINT');
    await stopsListening(service.address);
    service.signal('SIGINT');
    service.signal('SIGTERM');
    sendRest();
    expect((await answer).status).to.equal(201);
    expect(await within(atOnce, service.ended)).to.include({ code: 0, signal: null });
    expect(await columnOf(file, 'pets', 'name')).to.deep.equal(['slow']);
  });

  it('exits immediately at a later signal, and leaves an intact file', async () => {
    const { file, service } = await start();
    const stored = await createPet({ ...service, key }, newPet('stored'));
    expect(stored.status).to.equal(201);
    const { answer } = await holdCreate({ ...service, key }, newPet('never sent'), keepAliveAgent());
    service.signal('SIGTERM');
    await stopsListening(service.address);
    const repeated = setInterval(() => {
      service.signal('SIGINT');
    }, 100);

    expect(await within(atOnce, service.ended)).to.include({ code: null, signal: 'SIGINT' });
    clearInterval(repeated);
    const cutOff = await answer.catch((error: unknown) => error);
    expect(cutOff).to.be.instanceOf(Error);
    expect(await integrityOf(file)).to.deep.equal(['ok']);
    expect(await columnOf(file, 'pets', 'name')).to.deep.equal(['stored']);
  });

  for (const signal of ['SIGHUP', 'SIGTERM'] as const) {
    it(`answers a create that is still arriving when its terminal is lost, despite ${signal} after SIGHUP`, async () => {
      const { file, environment } = await newStore();
      const terminal = startAtTerminal(`echo $$; exec ${process.execPath} ${main} serve`, {
        environment: { ...environment, PORT: '0' },
      });
      const serving = /^\d+[^]*(http:\S+)\/v1\/pets/;
      await eventually('it serves', 20_000, () => serving.test(terminal.stdout()));
      const pid = Number.parseInt(terminal.stdout(), 10);
      const [, address = ''] = serving.exec(terminal.stdout()) ?? [];
      const held = await holdCreate({ address, key }, newPet('slow'), keepAliveAgent());
      process.kill(pid, 'SIGHUP');
      await stopsListening(address);
      process.kill(pid, signal);
      held.sendRest();
      expect((await held.answer).status).to.equal(201);
      expect(await within(atOnce, terminal.ended)).to.include({ code: 0, signal: null });
      expect(await columnOf(file, 'pets', 'name')).to.deep.equal(['slow']);
    });
  }

  for (const command of [
    'nohup "$@"',
    'exec nohup "$@"',
    'exec setsid nohup "$@"',
    'exec env X=1 nohup "$@"',
  ])
    it(`goes on at SIGHUP without a terminal: ${command}`, async () => {
      const environment = { DATABASE_URL: 'memory:', API_KEYS: key, PORT: '0' };
      const words = ['-c', command, 'bash', process.execPath, main, 'serve'];
      const service = await whenServing(startProgram('bash', words, { environment }));
      service.signal('SIGHUP');
      expect((await call(`${service.address}/livez`)).status).to.equal(200);
      const outcome = await within(atOnce, service.stop());
      expect(outcome).to.include({ code: 0, signal: null });
      expect(logLines(outcome.stdout).find(({ msg }) => msg === 'stopping')).to.include({
        signal: 'SIGTERM',
      });
    });

  describe('with a module that was loaded before it and handles SIGTERM, as that of OpenTelemetry', () => {
    const startWithModule = async (settings: Environment) => {
      const hook = join(await makeFolder(), 'hook.cjs');
      writeFileSync(
        hook,
        `process.on('SIGTERM', async () => {
          await new Promise((resolve) => setTimeout(resolve, 50));
          require('node:fs').writeSync(2, 'spans sent');
        });`,
      );
      return startService({
        DATABASE_URL: 'memory:',
        API_KEYS: key,
        NODE_OPTIONS: `--require=${hook}`,
        ...settings,
      });
    };

    it('lets the module end after the last request', async () => {
      const service = await startWithModule({ STOP_DELAY: '1000' });
      service.signal('SIGTERM');
      await eventually('it is not ready', atOnce, async () => {
        return (await call(`${service.address}/readyz`)).status === 503;
      });
      expect(service.stderr()).to.not.include('spans sent');
      expect(await service.ended).to.include({ code: 0, signal: null });
      expect(service.stderr()).to.include('spans sent');
    });

    it('exits immediately at a later signal', async () => {
      const service = await startWithModule({ STOP_DELAY: '60000' });
      service.signal('SIGTERM');
      const repeated = setInterval(() => {
        service.signal('SIGTERM');
      }, 100);
      expect(await within(atOnce, service.ended)).to.include({ code: null, signal: 'SIGTERM' });
      clearInterval(repeated);
    });
  });

  it('reports on /readyz that it is stopping', async () => {
    const service = await serveInProcess();
    const connection = connectTo(service.address);
    connection.send('GET /readyz HTTP/1.1\r\nHost: store\r\n\r\nGET /readyz HTTP/1.1\r\n');
    await connection.received(/"ready"/);
    const ended = service.stop();
    await stopsListening(service.address);
    connection.send('Host: store\r\n\r\n');
    await connection.received(/the service is stopping/);
    const text = (await connection.closed()).toString();
    expect(text.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 200', 'HTTP/1.1 503']);
    expect(await within(atOnce, ended)).to.include({ code: 0 });
  });
});
