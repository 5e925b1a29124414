import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { call } from '../../support/http/client';
import { fault, type Figures } from '../support/fault';
import { inFolder } from '../../support/temporary-folder';
import { withOwnPostgres } from '../../support/postgres/postgres-server';
import { childrenOf, pidOf } from '../../support/processes/system';
import { attachStrace, detachAll } from '../support/machine/strace';
import { expectSyncedFirst } from '../support/checks/synced-first';
import { killServices, type ServiceProcess, startService } from '../../support/service/service-process';

const key = 'synced-key';
const clients = 8;
const createsEach = 10;

/** Whole pages of a log, and whole answers. */
const options = ['-y', '-s', '65536', '-e', 'trace=write,writev,pwrite64,pwritev,fsync,fdatasync'];

const newName = (): string => randomBytes(12).toString('hex');

/** Every second one with an idempotency key: that commit is made in another way. */
const createOn = async (address: string): Promise<ReadonlyArray<string>> => {
  const names = Array.from({ length: createsEach }, newName);
  for (const [place, name] of names.entries()) {
    const headers: Record<string, string> = place % 2 === 0 ? {} : { 'Idempotency-Key': `"${newName()}"` };
    // Twice: where a page of the log ends within one, the other is whole.
    const body = `{"name":"${name}${name}","categoryId":1}`;
    const answer = await call(`${address}/v1/pets`, { method: 'POST', key, headers, body });
    expect(answer.status).to.equal(201);
  }
  return names;
};

const trace = async (
  service: ServiceProcess,
  others: ReadonlyArray<number>,
  { file, log }: { readonly file: string; readonly log: RegExp },
): Promise<Figures> => {
  const { output, detach } = await attachStrace([pidOf(service), ...others], options, file);
  const names = await Promise.all(Array.from({ length: clients }, () => createOn(service.address)));
  await detach();
  return expectSyncedFirst(await output(), { names: names.flat(), log });
};

describe('Promise 1: every 201 is written after the sync of its commit returned', () => {
  afterEach(detachAll);
  afterEach(killServices);

  fault(
    'SQLite, under strace',
    () =>
      inFolder(async (folder) => {
        const environment = { DATABASE_URL: `sqlite:${folder}/animals.sqlite3`, API_KEYS: key };
        const service = await startService(environment);
        return trace(service, [], { file: `${folder}/trace`, log: /animals\.sqlite3-wal$/ });
      }),
    { needs: ['strace'] },
  );

  fault(
    'PostgreSQL, under strace',
    () =>
      withOwnPostgres(({ url, postmaster }) =>
        inFolder(async (folder) => {
          const service = await startService({ DATABASE_URL: url, API_KEYS: key });
          const server = [postmaster(), ...childrenOf(postmaster())];
          return trace(service, server, { file: `${folder}/trace`, log: /\/pg_wal\// });
        }),
      ),
    { needs: ['strace'] },
  );
});
