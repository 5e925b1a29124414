import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { openSqlite } from '../../../../adapters/knex';
import { whileServing } from '../../../support/service/serve-in-process';
import { newDatabaseFile, removeFolders } from '../../../support/temporary-folder';
import { doctor } from './support';

describe('animal-store doctor, on ports', () => {
  afterEach(removeFolders);

  it('tells the port of a running service from that of another program, and reports one that this machine lacks', async () => {
    const other = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const otherPort = typeof address === 'object' ? String(address?.port) : '';
    const { results, failed } = await whileServing({ DATABASE_URL: 'memory:', PORT: '0' }, (service) =>
      doctor({
        DATABASE_URL: 'memory:',
        PORT: new URL(service.address).port,
        ADMIN_PORT: '0',
        ADMIN_HOST: '192.0.2.1',
      }),
    );
    const port = results.find(({ check }) => check === 'port');
    expect(port).to.include({ ok: true }).and.not.to.have.property('isWarning');
    expect(port?.text).to.match(
      /^PORT \d+ on 127.0.0.1 is that of a running animal store, which a restart replaces; to serve another one, set PORT$/,
    );
    const blocked = await doctor({ DATABASE_URL: 'memory:', PORT: otherPort });
    other.close();
    expect(blocked.results.find(({ check }) => check === 'port')).to.deep.include({
      ok: false,
      text: `PORT ${otherPort} on 127.0.0.1 is in use; \`serve\` fails until you stop the program that listens there, or set PORT; if it is an animal store, it hangs`,
    });
    expect(failed.map(({ text }) => text)).to.deep.equal([
      "can't listen: EADDRNOTAVAIL: address not available 192.0.2.1; this machine does not have that address; set ADMIN_HOST",
    ]);
  });

  it('fails if an animal store listens on its port, and its own database has no tables yet', () =>
    whileServing({ DATABASE_URL: 'memory:', PORT: '0' }, async ({ address }) => {
      const PORT = new URL(address).port;
      const empty = await newDatabaseFile();
      const database = openSqlite(empty);
      await database.writePool.raw('select 1');
      await database.close();
      for (const file of [await newDatabaseFile(), empty]) {
        const { failed } = await doctor({ DATABASE_URL: `sqlite:${file}`, PORT });
        expect(failed).to.deep.equal([
          {
            check: 'port',
            ok: false,
            text: `PORT ${PORT} on 127.0.0.1 is that of another running animal store, as this database has no tables yet; \`serve\` fails until you stop that store, or set PORT`,
          },
        ]);
      }
    }));

  it('finds a service on another address of the port, if doctor is to listen on all of IPv6', () =>
    whileServing({ DATABASE_URL: 'memory:', PORT: '0' }, async ({ address }) => {
      const { results } = await doctor({ DATABASE_URL: 'memory:', PORT: new URL(address).port, HOST: '::' });
      expect(results.find(({ check }) => check === 'port')).to.deep.include({ ok: true });
    }));

  it('finds a service on a port that `fetch` refuses, as browsers do', () =>
    whileServing({ DATABASE_URL: 'memory:', PORT: '6697' }, async () => {
      const { results } = await doctor({ DATABASE_URL: 'memory:', PORT: '6697' });
      expect(results.find(({ check }) => check === 'port')).to.deep.include({ ok: true });
    }));
});
