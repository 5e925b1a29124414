import { expect } from 'chai';
import knex from 'knex';
import { once } from 'node:events';
import { connect, createServer, Socket } from 'node:net';
import { registerSessions, type Session } from '../../../../adapters/knex/postgres/sessions';
import { inPostgresDatabase } from '../../../support/postgres/postgres';
import { freePort } from '../../../support/processes/system';

const silenceMs = 50;

const behindNoPooler = { isBehindPooler: false };

const slownessMs = 600;

const tlsHandshake = 0x16;

const session = (stream: Socket, port: number): Session => ({
  host: '127.0.0.1',
  port,
  ssl: true,
  processID: 1,
  secretKey: 2,
  connection: { stream },
  query: () => Promise.reject(new Error('the server is silent')),
  end: () => Promise.resolve(),
});

describe('The CancelRequest of a silent session', () => {
  it('is sent over a slow network after the caller has got its error', async () => {
    const port = await freePort();
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    const stream = connect(port, '127.0.0.1');
    await once(stream, 'connect');
    const began = performance.now();
    const answered = new Promise<number | undefined>((resolve) => {
      server.on('connection', (socket) => {
        socket.once('data', () => {
          socket.once('data', (data: Buffer) => {
            resolve(data[0]);
            socket.destroy();
          });
          setTimeout(() => socket.write('S'), slownessMs);
        });
      });
    });
    const failed = once(stream, 'error');
    await registerSessions(silenceMs, 1).admit(session(stream, port), behindNoPooler);
    const errors: ReadonlyArray<unknown> = await failed;
    expect(String(errors[0])).to.contain('PostgreSQL sent nothing');
    expect(performance.now() - began).to.be.below(slownessMs);
    expect(await answered).to.equal(tlsHandshake);
    server.close();
  });
});

describe('A cancelled session whose process id another session has got', () => {
  for (const [name, isCounted] of [
    ['another program', false],
    ['animal-store', true],
  ] as const) {
    it(`${isCounted ? 'counts' : 'does not count'} as hanging if that session is of ${name}`, () =>
      inPostgresDatabase(async (url) => {
        const open = (application_name: string) =>
          knex({
            client: 'pg',
            connection: { connectionString: url, application_name },
            pool: { min: 0, max: 1 },
          });
        const [other, own] = [open(name), open('animal-store')];
        const { pid } = await other.first<{ readonly pid: number }>(other.raw('pg_backend_pid() as pid'));
        const sessions = registerSessions(silenceMs, 1);
        const ended = new Socket().on('error', () => undefined);
        await sessions.admit({ ...session(ended, await freePort()), processID: pid }, behindNoPooler);
        ended.emit('timeout');
        const next = new Socket();
        const query: Session['query'] = async (sql) => own.raw(sql);
        const admitted = await sessions
          .admit({ ...session(next, await freePort()), query }, behindNoPooler)
          .then(
            () => true,
            () => false,
          );
        next.destroy();
        await Promise.all([other.destroy(), own.destroy()]);
        expect(admitted).to.equal(!isCounted);
      }));
  }
});
