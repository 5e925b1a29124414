import { expect } from 'chai';
import { open, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { openSqlite } from '../../../adapters/knex';
import { fault, type Figures } from '../support/fault';
import { inFolder } from '../../support/temporary-folder';
import { inTmpfs, remount } from '../support/machine/tmpfs';
import { key, witness } from '../support/checks/witness';
import { runCommand } from '../../support/processes/command';
import { killServices, startService } from '../../support/service/service-process';

/** In milliseconds: how long a service may go on after its file is lost. */
const bound = 15_000;

/** In bytes. */
const pageSize = 4_096;

const environmentOf = (file: string) => ({
  DATABASE_URL: `sqlite:${file}`,
  API_KEYS: key,
  LOG_LEVEL: 'silent',
});

/** A file with animals and no write-ahead log. */
const makeDatabase = async (file: string): Promise<void> => {
  const service = await startService(environmentOf(file));
  await witness(service.address).isWell();
  await service.stop();
};

/** Takes the file from under a service that is asked all the time. */
const losing = (lose: (file: string) => Promise<void>) => (): Promise<Figures> =>
  inFolder(async (folder) => {
    const file = `${folder}/animals.sqlite3`;
    await makeDatabase(file);
    const service = await startService(environmentOf(file));
    const { isWell, asksUntilCut, counts } = witness(service.address);
    await isWell();
    const { acknowledged } = counts();
    await lose(file);
    const began = performance.now();
    await asksUntilCut();
    const { code, stderr } = await service.ended;
    const milliseconds = Math.round(performance.now() - began);
    expect(milliseconds, 'milliseconds until the end').to.be.below(bound);
    expect(code).to.equal(1);
    expect(stderr).to.include('the database file was removed, replaced or truncated');
    expect(counts().acknowledged, 'acknowledged after the loss as well').to.equal(acknowledged);
    const { answers, refused } = counts();
    return { answers, refused, 'ended after ms': milliseconds, 'exit code': code ?? '' };
  });

/** Starts a service on what `make` leaves at a path. */
const refusingToStart = async (
  folder: string,
  make: (file: string) => Promise<void>,
  why: RegExp,
): Promise<Figures> => {
  const file = `${folder}/animals.sqlite3`;
  await make(file);
  const { code, stderr } = await runCommand(['serve'], { PORT: '0', ...environmentOf(file) });
  expect(code).to.equal(1);
  expect(stderr).to.match(why);
  return { 'exit code': code ?? '', says: JSON.stringify(stderr.trim()) };
};

const cutTo = (share: number) => async (file: string) => {
  const { length } = await readFile(file);
  await truncate(file, Math.floor(length * share));
};

describe('Promise 3: a service without its SQLite file ends and says why', () => {
  afterEach(killServices);

  fault('the file is removed under the service', losing(rm));
  fault(
    'the file is replaced by another under the service',
    losing(async (file) => {
      const other = `${file}-other`;
      await makeDatabase(other);
      await rename(other, file);
    }),
  );
  fault(
    'its log is removed under the service',
    losing((file) => rm(`${file}-wal`)),
  );
  fault(
    'its log is moved under the service',
    losing((file) => rename(`${file}-wal`, `${file}-moved`)),
  );
  fault(
    'its log is emptied under the service',
    losing((file) => truncate(`${file}-wal`)),
  );
  fault(
    "its log's index is removed under the service",
    losing((file) => rm(`${file}-shm`)),
  );
  fault('the file is emptied under the service', losing(cutTo(0)));
  fault('the file is cut to its half under the service', losing(cutTo(0.5)));

  fault('a file that is vacuumed under the service is not lost', () =>
    inFolder(async (folder) => {
      const file = `${folder}/animals.sqlite3`;
      const service = await startService(environmentOf(file));
      const { isWell, heals, figures } = witness(service.address);
      await isWell();
      const { writes, close } = openSqlite(file);
      await writes.raw('create table filler as select zeroblob(1000000) as content');
      await writes.raw('pragma wal_checkpoint(truncate)');
      const { size: before } = await stat(file);
      await heals();
      await writes.raw('drop table filler');
      await writes.raw('vacuum');
      await writes.raw('pragma wal_checkpoint(truncate)');
      const { size: after } = await stat(file);
      await close();
      expect(after).to.be.below(before);
      await heals();
      await service.stop();
      return {
        ...(await figures((await startService(environmentOf(file))).address)),
        'bytes before': before,
        after,
      };
    }),
  );

  fault('the file is no database at the start', () =>
    inFolder((folder) =>
      refusingToStart(folder, (file) => writeFile(file, 'no database '.repeat(1_000)), /not a database/),
    ),
  );

  fault('the file has lost a page at the start', () =>
    inFolder((folder) =>
      refusingToStart(
        folder,
        async (file) => {
          await makeDatabase(file);
          const handle = await open(file, 'r+');
          await handle.write(Buffer.alloc(pageSize - 100, 0xff), 0, pageSize - 100, 100);
          await handle.close();
        },
        /malformed/,
      ),
    ),
  );

  fault(
    'the file system is read-only at the start',
    () =>
      inTmpfs('4m', (folder) =>
        refusingToStart(
          folder,
          async (file) => {
            await makeDatabase(file);
            await remount(folder, 'ro');
          },
          /the database sqlite:\S+ can't be used/,
        ),
      ),
    { needs: ['mount'] },
  );
});
