import { expect } from 'chai';
import { rm } from 'node:fs/promises';
import { Client } from 'pg';
import { sqliteStore } from '../../support/databases/databases';
import { eventually } from '../../support/eventually';
import { call, environmentOf, owner } from '../../support/http/client';
import { throughProxy } from '../../support/postgres/freezing-proxy';
import { inPostgresDatabase } from '../../support/postgres/postgres';
import { withOwnPostgres } from '../../support/postgres/postgres-server';
import { type Environment, runCommand, withoutDatabaseLine } from '../../support/processes/command';
import { pidOf } from '../../support/processes/system';
import { killServices, startService } from '../../support/service/service-process';
import { inFolder } from '../../support/temporary-folder';
import { databaseTimeouts } from '../../../adapters/knex';
import { attachStrace, detachAll, fault, fillDisk, inTmpfs } from '../support/machine';
import { type ReadsUnderFault, witness } from '../support/witness';

interface Failure {
  /**
   * Injects the fault into the database of a service with this process id. The returned function removes the cause of
   * the fault.
   */
  readonly inject: (pid: number) => Promise<() => unknown>;
  readonly reads: ReadsUnderFault;
  /** Text that /readyz shows during the fault. */
  readonly reason?: string;
  readonly lastsMs?: number;
  readonly settings?: Environment;
}

/**
 * Makes a database fail under a service until creates fail and the service is not ready. Removes the fault, and checks
 * the store after a kill -9. Returns the number of stored animals whose create got no 201.
 */
const failUnderService = async (
  databaseUrl: string,
  { inject, reads, reason, lastsMs = 0, settings = {} }: Failure,
): Promise<number> => {
  const environment = { ...environmentOf(databaseUrl), ...settings };
  const service = await startService(environment);
  const { expectWorking, untilFailing, requestFor, untilWorking, acknowledged, expectAllStored } = witness(
    service.address,
  );
  await expectWorking();
  const cure = await inject(pidOf(service));
  try {
    await untilFailing(reads);
    if (reason !== undefined)
      await eventually('/readyz has the reason', 10_000, async () =>
        (await call(`${service.address}/readyz`)).text.includes(reason),
      );
    await requestFor(lastsMs);
  } finally {
    await cure();
  }
  await untilWorking();
  service.signal('SIGKILL');
  await service.ended;
  return (await expectAllStored((await startService(environment)).address)) - acknowledged.length;
};

/** Duration of an outage, longer than any timeout of a running service. */
const outageMs = databaseTimeouts.idleInTransactionMs + 2_000;

const diskBytes = 4 * 1024 * 1024;

/** Size of the disk of a PostgreSQL server, which takes 40 MB when it is empty. */
const postgresDiskBytes = 128 * 1024 * 1024;

const failOnFullDisk = async (databaseUrl: string, folder: string, bytes: number): Promise<void> => {
  const stored = await failUnderService(databaseUrl, {
    inject: async () => {
      const environment = { DATABASE_URL: databaseUrl, API_KEYS: owner };
      const idle = await startService({ ...environment, ADMIN_PORT: '0' });
      const readyz = `${await idle.adminAddress()}/readyz`;
      expect((await fetch(readyz)).status).to.equal(200);
      await fillDisk(`${folder}/filler`, bytes);
      const { code, stdout } = await runCommand(['doctor'], environment);
      expect(code, stdout).to.equal(1);
      await eventually('an instance without creates is not ready either', 60_000, async () =>
        (await fetch(readyz)).text().then((text) => text.includes('the disk of the database is full')),
      );
      await idle.stop();
      return () => rm(`${folder}/filler`);
    },
    reads: 'reads continue',
    settings: { RATE_LIMIT: '1000000/60s' },
    reason: 'the disk of the database is full; run `animal-store doctor`',
  });
  expect(stored, 'animals of failed creates').to.equal(0);
};

const failCalls = (calls: string, error: string) => (): Promise<unknown> =>
  inFolder((folder) =>
    failUnderService(`sqlite:${folder}/animals.sqlite3`, {
      inject: async (pid) => {
        const { detach } = await attachStrace([pid], ['-e', `inject=${calls}:error=${error}`], '/dev/null');
        return detach;
      },
      reads: 'reads continue',
    }),
  );

describe('A failing SQLite database is a 503, and reads continue', () => {
  afterEach(detachAll);
  afterEach(killServices);

  fault(
    'while the disk is full',
    () =>
      inTmpfs(`${diskBytes}`, (folder) =>
        failOnFullDisk(`sqlite:${folder}/animals.sqlite3`, folder, diskBytes),
      ),
    'mount',
  );

  fault(
    'while the disk is full, which `doctor` reports',
    () =>
      inTmpfs(`${4 * diskBytes}`, async (folder) => {
        const environment = { DATABASE_URL: `sqlite:${folder}/animals`, PORT: '0', API_KEYS: owner };
        await runCommand(['migrate'], environment);
        expect((await runCommand(['doctor'], environment)).code, 'with free space').to.equal(0);
        await fillDisk(`${folder}/filler`, 4 * diskBytes);
        const { code, stdout } = await runCommand(['doctor'], environment);
        expect(code, 'without free space').to.equal(1);
        expect(stdout).to.match(
          /FAIL +connection .*ENOSPC: only \d+ bytes are free; free space on the disk of the database/,
        );
      }),
    'mount',
  );

  fault(
    'while the disk is full, which `restore`, `backup` and `keys` report, and no command calls it damaged',
    () =>
      inTmpfs(`${diskBytes}`, (folder) =>
        inFolder(async (other) => {
          const database = `${folder}/animals`;
          const environment = { DATABASE_URL: `sqlite:${database}` };
          const run = async (...words: ReadonlyArray<string>): Promise<string> =>
            withoutDatabaseLine(await runCommand(words, environment)).stderr;
          await run('migrate');
          await run('backup', `${other}/backup`);
          await fillDisk(`${folder}/filler`, diskBytes);

          // The first of these commands leaves a write-ahead log without an index, so that SQLite can't even read the
          // file.
          const advice = /(?:SQLITE_(?:FULL|IOERR): |no space is left).*free space/;
          for (const words of [
            ['backup', `${folder}/backup`],
            ['restore', `${other}/backup`],
            ['restore', `${other}/backup`, '--replace'],
            ['keys', 'list'],
            ['backup', `${other}/backup`, '--replace'],
          ]) {
            const told = await run(...words);
            expect(told, words.join(' ')).to.match(advice);
            if (words[0] !== 'keys')
              expect(told, words.join(' ')).to.match(/ (?:is unchanged|was not written)\n$/);
          }
        }),
      ),
    'mount',
  );

  // Injects the errors of a file system that the kernel has made read-only, because no mount option makes a file
  // read-only that is already open.
  fault(
    'while its file system is read-only',
    failCalls('pwrite64,ftruncate,fallocate,unlink', 'EROFS'),
    'strace',
  );
  fault('while fsync fails with EIO', failCalls('fsync,fdatasync', 'EIO'), 'strace');

  it('while another process locks it for longer than any timeout', () =>
    inFolder((folder) => {
      const { databaseUrl, holdWriters } = sqliteStore(`${folder}/animals.sqlite3`);
      return failUnderService(databaseUrl, {
        inject: holdWriters,
        reads: 'reads continue',
        lastsMs: outageMs,
      });
    }));
});

describe('A failing PostgreSQL database is a 503', () => {
  afterEach(killServices);

  it('while another client holds a lock, and the pool has one connection', () =>
    inPostgresDatabase((url) =>
      failUnderService(url, {
        inject: async () => {
          // Uses a client of its own, because the project's pool ends a silent transaction after seconds.
          const client = new Client({ connectionString: url });
          await client.connect();
          await client.query('begin');
          await client.query('lock table pets in access exclusive mode');
          return () => client.end();
        },
        reads: 'reads fail',
        settings: { POSTGRES_POOL_SIZE: '1' },
      }),
    ));

  fault(
    'while the disk of its data is full',
    () =>
      inTmpfs(`${postgresDiskBytes}`, (folder) =>
        withOwnPostgres(({ url }) => failOnFullDisk(url, folder, postgresDiskBytes), {
          folder: `${folder}/data`,
        }),
      ),
    'mount',
  );

  it('between SIGKILL of its server and the next start', () =>
    withOwnPostgres(({ url, kill, start }) =>
      failUnderService(url, {
        inject: async () => {
          await kill();
          return start;
        },
        reads: 'reads fail',
        lastsMs: 3_000,
      }),
    ));

  it('while its network hangs for longer than any timeout', () =>
    withOwnPostgres(({ url }) =>
      throughProxy(url, (proxied, { freeze, thaw }) =>
        failUnderService(proxied, {
          inject: () => {
            freeze();
            return Promise.resolve(thaw);
          },
          reads: 'reads fail',
          lastsMs: outageMs,
        }),
      ),
    ));
});
